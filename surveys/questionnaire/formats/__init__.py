"""How a questionnaire is written down when it is launched, now and in earlier versions."""
