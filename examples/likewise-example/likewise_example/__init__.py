"""An example of a plug-in for likewise: a method, and a risk."""
