/** Says that texts are stored in another form than they had, if there are any. */
export function* linesOfChanged(changed: number): Generator<string> {
  if (changed > 0)
    yield `${changed} values held a NUL or half a surrogate pair, which PostgreSQL cannot store; it is U+FFFD (\ufffd) there.`;
}
