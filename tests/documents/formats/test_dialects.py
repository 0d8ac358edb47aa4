"""Whole citations in the dialects of programs and databases: all of it is written again."""

import re

import pytest

from documents.citations import settled
from documents.reading import read_text, written
from likewise.documents.formats import format_named, nbib, ris

enw = format_named("enw")

ENDNOTE = """TY  - CHAP
AU  - Lindqvist, Maja Elisabet
AU  - Home Oxygen Group,
A2  - Editor, Edith
A3  - Van Dam, Bo
AB  - Oxygen at home helped.
AD  - Department of Air, University of Nowhere
AN  - 34560017
C1  - read twice
C2  - PMC8560017
C7  - e17
CY  - Uppsala
DA  - Mar 15
DB  - PubMed
DO  - 10.5555/aip.2021.17
DP  - NLM
ET  - 2nd
IS  - 3
J2  - Ann Invent Pulmonol
KW  - home care
oxygen
L1  - internal-pdf://0123/Lindqvist.pdf
LA  - eng
N1  - Lindqvist, Maja
Read by Ann
PB  - Invented Press
PY  - 2021
SN  - 1234-5679 (Print)
2345-678X (Linking)
SP  - 101-109
ST  - Home oxygen
T2  - Annals of Invented Pulmonology
T3  - Studies of Air
TI  - Home oxygen for adults
UR  - https://www.example.org/17
https://www.example.org/17/more
VL  - 12
ID  - 44
ER  -
"""
ZOTERO = """TY  - BOOK
TI  - A handbook of invented methods
AU  - Moreau, Élodie
A3  - Series Editor, Sam
T2  - Methods and more
AB  - All methods.
CN  - QZ 17 .M6
CY  - Lyon
DA  - 2019/07/02/
DP  - Library Catalog
ET  - 3
L2  - http://www.example.org/link
LA  - en
M1  - 17
N1  - <p>See chapter 4; it is the best.</p>
PB  - Imagined Books
PY  - 2019
SN  - 978-3-16-148410-0
SP  - 312
ST  - A handbook
UR  - https://www.example.org/books/77
VL  - 2
Y2  - 2020/01/31/09:30:00
KW  - methods
ER  -
"""
EMBASE = """TY  - JOUR
A1  - Brandt S.
A1  - Ivanova P.
AD  - S. Brandt, Department of Nowhere
T1  - Ketamine for acute pain
JF  - Imaginary Emergency Medicine
JA  - Imag. Emerg. Med.
LA  - English
VL  - 14
IS  - 2
SP  - 110
EP  - 119
Y1  - 2021//
N2  - Ketamine acted within ten minutes.
KW  - ambulance
KW  - ketamine
M3  - Article
SN  - 1234-5679
U2  - L2012345678
C5  - 34500002
DO  - 10.5555/iem.2021.5
CL  - Emergency
PB  - Invented Press
CY  - United Kingdom
DB  - Embase
UR  - https://www.example.org/search?id=L2012345678&from=export
ER  -
"""
OVID = """TY  - JOUR
DB  - Ovid MEDLINE(R) ALL <1946 to Present>
AN  - 31230003
ID  - 10.5555/fam.2018.31
T1  - Zinc for the common cold
A1  - Castellanos, Rita
A1  - Haddad, Leila M.
Y1  - 2018/10//
N2  - Zinc lozenges shortened colds.
KW  - *Common Cold/dt [Drug Therapy]
KW  - Zinc/tu [Therapeutic Use]
JF  - Fictional Archives of Medicine
JA  - Fict Arch Med
LA  - English
VL  - 31
IS  - 4
SP  - 17
EP  - 23
CY  - United States
M3  - Randomized Controlled Trial
SN  - 0000-0019
AD  - Castellanos, Rita. Institute of Colds.
DO  - https://dx.doi.org/10.5555/fam.2018.31
PT  - Journal Article
L2  - http://www.example.org/ovidweb?AN=31230003
ER  -
"""
SCOPUS = """TY  - JOUR
TI  - Reminders for vaccination by text message
T2  - Imagined Public Health
J2  - Imag. Public Health
VL  - 9
IS  - 1
C7  - 17
PY  - 2021
DO  - 10.5555/iph.2021.17
AU  - Osei, K.
AU  - Berg, A.
AD  - Institute of Texts, Accra, Ghana
AB  - Reminders helped.
KW  - Reminders
KW  - Vaccination
PB  - Invented Press
SN  - 12345679 (ISSN)
LA  - English
M3  - Article
DB  - Scopus
N1  - Export Date: 2 May 2022; Cited By: 3
C2  - 33830001
UR  - https://www.example.org/record.uri?eid=2-s2.0-85100000001
ER  -
"""
COCHRANE = """TY  - JOUR
AN  - CN-01990006
AU  - Adeyemi, Tola
TI  - Music before anaesthesia
PY  - 2017
JO  - Imaginary anaesthesia
VL  - 12
IS  - 3
SP  - 101\u2010109
M3  - Journal article
KW  - *anxiety
XR  - EMBASE 620000006
C3  - PUBMED 28900006,EMBASE 620000006
DB  - Cochrane Central Register of Controlled Trials
PB  - Invented Trials
DO  - 10.5555/ia.2017.6
AB  - Music helped.
UR  - https://www.example.org/central/CN-01990006/full
N1  - DA: 2018/02/01
ER  -
"""
PROQUEST = """TY  - JOUR
T1  - Walking groups after hip fracture
AN  - 2013440004; 30100004
AU  - Haugen, Ola
AU  - Petrova, Nina Ivanovna
Y1  - 2017/11//
PY  - 2017
DA  - Nov 2017
SP  - 17
EP  - 29
CY  - Oslo
PB  - Invented Walks
VL  - 8
IS  - 11
SN  - 1234-5679
AB  - Walking in groups helped.
KW  - Walking
KW  - 3333:Hip Fractures
U1  - 1950000004
U2  - 30100004
L2  - http://www.example.org/openurl?issn=12345679
UR  - https://www.example.org/docview/1950000004
LA  - English
DB  - MEDLINE
N1  - Date revised - 2018-01-02
ER  -
"""
PUBMED = """PMID- 34560017
OWN - NLM
STAT- MEDLINE
DCOM- 20220105
LR  - 20220107
IS  - 1234-5679 (Electronic)
IS  - 2345-678X (Linking)
VI  - 12
IP  - 3
DP  - 2021 Mar 15
TI  - Home oxygen for adults.
PG  - 101-109
LID - 10.5555/aip.2021.17 [doi]
AB  - Oxygen at home helped.
CI  - (c) 2021 Nobody.
FAU - Lindqvist, Maja Elisabet
AU  - Lindqvist ME
AUID- ORCID: 0000-0000-0000-0000
AD  - Department of Air, University of Nowhere.
CN  - Home Oxygen Group
LA  - eng
SI  - ClinicalTrials.gov/NCT00000017
GR  - 17/Invented Fund/Sweden
PT  - Journal Article
DEP - 20210301
PL  - Sweden
TA  - Ann Invent Pulmonol
JT  - Annals of invented pulmonology
JID - 100000017
RN  - S88TT14065 (Oxygen)
SB  - IM
MH  - Humans
MH  - Lung Diseases/*therapy/prevention & control
MH  - *Oxygen
PMC - PMC8560017
OTO - NOTNLM
OT  - home care
COIS- None.
EDAT- 2021/03/16 06:00
MHDA- 2022/01/06 06:00
PHST- 2020/12/01 00:00 [received]
PHST- 2021/03/01 00:00 [accepted]
AID - S1234-5679(21)00017-1 [pii]
AID - 10.5555/aip.2021.17 [doi]
PST - ppublish
SO  - Ann Invent Pulmonol. 2021 Mar 15;12(3):101-109. doi: 10.5555/aip.2021.17.
"""
ENDNOTE_REFER = """%0 Book Section
%A Lindqvist, Maja Elisabet
%A Home Oxygen Group,
%B A Handbook of Air
%C Uppsala
%D 2021
%E Editor, Edith
%F Lindqvist2021
%G eng
%I Invented Press
%K home care
oxygen
%L QZ 17
%M 34560017
%N 3
%O On home oxygen
%P 101-109
%R 10.5555/aip.2021.17
%S Studies of Air
%T Home oxygen for adults
%U https://www.example.org/17
%V 12
%W NLM
%X Oxygen at home helped.
%Y Van Dam, Bo
%Z Read by Ann
%2 PMC8560017
%3 third
%7 2nd
%8 Mar 15
%9 Review
%! Home oxygen
%@ 1234-5679
%+ Department of Air
%~ PubMed
%> internal-pdf://0123/Lindqvist.pdf
"""
DIALECTS = {
    "EndNote": (ris, ENDNOTE),
    "Zotero": (ris, ZOTERO),
    "Embase": (ris, EMBASE),
    "Ovid": (ris, OVID),
    "Scopus": (ris, SCOPUS),
    "Cochrane": (ris, COCHRANE),
    "ProQuest": (ris, PROQUEST),
    "PubMed": (nbib, PUBMED),
    "EndNote's Refer": (enw, ENDNOTE_REFER),
}
# What says how a number is meant, months that become numbers, and links in which a DOI stands.
UNSAID = {"print", "electronic", "linking", "issn", "mar", "nov", "12345679", "https", "dx", "doi"}


def read_one(module, text):
    (document,) = read_text(module, text)
    return document


def list_words(text):
    """The words of all values, without tags."""
    values = re.sub(r"^(?:[A-Z][A-Z0-9]{1,3} *- ?|%. ?)", "", text, flags=re.MULTILINE)
    return set(re.findall(r"[^\W_]+", values.casefold()))


@pytest.mark.parametrize("name", DIALECTS)
def test_what_is_read_is_written_and_read_again_the_same(name):
    module, text = DIALECTS[name]
    document = read_one(module, text)
    again = read_one(module, written(module, [document]).decode())
    assert settled([again]) == settled([document])


@pytest.mark.parametrize("name", DIALECTS)
def test_no_word_of_a_record_is_lost(name):
    module, text = DIALECTS[name]
    again = written(module, [read_one(module, text)]).decode()
    assert list_words(text) - list_words(again) <= UNSAID


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("EndNote", {"kind": "CHAP", "pages": "101-109", "series": "Studies of Air",
                     "editors": ("Editor, Edith",), "issn": ("1234-5679", "2345-678X"),
                     "date": "2021/03/15", "remarks": ("Lindqvist, Maja Read by Ann",)}),
        ("Zotero", {"kind": "BOOK", "series": "Methods and more", "journal": "",
                    "isbn": ("978-3-16-148410-0",), "date": "2019/07/02", "edition": "3"}),
        ("Embase", {"pages": "110-119", "database": "Embase", "accession": "L2012345678",
                    "place": "United Kingdom", "year": 2021, "date": ""}),
        ("Ovid", {"date": "2018/10", "pages": "17-23", "accession": "31230003",
                  "pmid": "31230003"}),
        ("Scopus", {"pages": "17", "issn": ("1234-5679",), "pmid": "33830001",
                    "remarks": ("Export Date: 2 May 2022; Cited By: 3",)}),
        ("Cochrane", {"pages": "101-109", "accession": "CN-01990006", "pmid": "28900006"}),
        ("ProQuest", {"pages": "17-29", "date": "2017/11", "pmid": "30100004",
                      "authors": ("Haugen, Ola", "Petrova, Nina Ivanovna")}),
        ("PubMed", {"volume": "12", "issue": "3", "pages": "101-109", "place": "Sweden",
                    "date": "2021/03/15", "issn": ("1234-5679", "2345-678X")}),
        ("EndNote's Refer", {"kind": "CHAP", "journal": "A Handbook of Air", "edition": "2nd",
                             "place": "Uppsala", "date": "2021/03/15"}),
    ],
)  # fmt: skip
def test_the_parts_of_a_citation_are_in_their_fields(name, fields):
    document = read_one(*DIALECTS[name])
    assert {field: getattr(document, field) for field in fields} == fields
