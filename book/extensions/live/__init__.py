"""What the site's widgets need to run in a reader's browser: their experiments, compiled with the site.

`slices` takes a widget's own code out of a chapter, `slots` finds where a knob's value stands in a compiled
program, `bundles` writes one file per chapter. What reads these files is in web/programs/.
"""
