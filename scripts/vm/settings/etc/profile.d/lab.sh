export PATH=/opt/lab/bin:$PATH
