"""Reviews replayed: what was screened by people is screened again with a method, and measured."""
