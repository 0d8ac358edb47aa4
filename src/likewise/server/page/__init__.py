"""The page: templates, styles and scripts, none of which loads anything from elsewhere."""
