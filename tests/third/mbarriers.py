class Mbarriers:
    def __init__(self, judge): self.judge = judge
    def launch(self, cta): pass
    def request(self, e): pass
    def asynchronous(self, e): pass
    def commit(self, e): pass
    def answer(self, e, r): pass
    def end(self): pass
