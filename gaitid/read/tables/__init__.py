"""Tables of text (plain CSV, Nexus CSV, TRC, MOT and STO) -> `Trial`, or the forces beside one."""
