"""A small lesson for tests, and ways to spoil it."""

LESSON = '''+++
format = 1
title = "A value used twice"
order = 6
minutes = 5
program = """
a = 3.0
b = a + a
"""
show = ["program", "graph"]

[training]
learning_rate = 0.1
+++
Two edges leave `a`: see [its slider](show:program.sliders). Its gradient is {a.grad}.

## Predict
What is the gradient of *a*?

```goal
kind = "predicted"
node = "a"
wrong = [{ is = 1.0, says = "One edge brings 1." }]
```
```hint
How many edges leave `a`?
```
```solution
predict = { a = 2.0 }
```

## Break it
```python
b = a + a * 2  # <not HTML>
```
```goal
kind = "gradient"
node = "a"
is = 3
```
```solution
edit = { find = "a + a", replace = "a + a + a" }
```
```mistake
sliders = { a = 4.0 }
```

## A question
```goal
kind = "answer"
question = "Why do gradients add up?"
choices = [
    { text = "Both edges move the result", right = true },
    { text = "They do not", says = "Nudge a and look." },
]
```
```solution
answer = "Both edges move the result"
```
'''
