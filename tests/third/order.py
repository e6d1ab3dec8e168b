class Orders:
    def __init__(self, judge): self.judge = judge
    def launch(self, cta): pass
    def request(self, e): pass
    def accesses(self, e, sign): pass
    def commit(self, e): pass
    def end(self): pass
