"""The I/O time of an application, predicted from measured cells of IOR."""
