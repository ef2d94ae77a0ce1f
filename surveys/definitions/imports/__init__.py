"""Forms of other programs as definitions, with a remark for each thing that changes or is lost."""
