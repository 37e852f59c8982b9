"""A whole data set: which trials and which statics, worked on by supervised processes, resumable."""
