; OPTIMUM: 1
(Define (Problem P)	(:Domain d)
	(:Objects A B - T)
	(:Init (On a))
	(:Goal (ON B)))
