"""tests/kernels/word_results/__init__.py -- the results of make_words.py, by family."""
