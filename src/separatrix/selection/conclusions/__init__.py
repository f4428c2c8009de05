"""The conclusions of a study of classes: sentences, tables of classes, rows worth a look."""
