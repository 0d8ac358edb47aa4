// Expected precision and recall at any rank, interpolated between the ranks that the server gave.

/** Return both at a rank: `{ precision, recall }`, or null if nothing is known. */
export function figuresAt({ documents, precision, recall }, rank) {
  if (!documents.length || rank < 1) return rank < 1 && documents.length ? { precision: null, recall: 0 } : null;
  const after = documents.findIndex((one) => one >= rank);
  if (after < 0) return { precision: precision.at(-1), recall: recall.at(-1) };
  const before = Math.max(0, after - 1);
  const width = documents[after] - documents[before];
  const share = width ? (rank - documents[before]) / width : 0;
  const between = (values) => values[before] + share * (values[after] - values[before]);
  return { precision: between(precision), recall: between(recall) };
}

/** Return the score at which a line below a rank lies, by the histogram of the pool's scores. */
export function scoreAt({ edges, pool }, rank) {
  let above = 0;
  for (let bin = pool.length - 1; bin >= 0; bin -= 1) {
    if (above + pool[bin] >= rank) {
      const share = pool[bin] ? (rank - above) / pool[bin] : 0;
      return edges[bin + 1] - share * (edges[bin + 1] - edges[bin]);
    }
    above += pool[bin];
  }
  return edges[0];
}
