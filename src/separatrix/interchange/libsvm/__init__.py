"""Model files of LIBLINEAR and LIBSVM, read and written."""
