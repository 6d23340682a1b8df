"""One rule page per file; `catalog` lists them."""
