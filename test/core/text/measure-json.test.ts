import { describe, expect, it } from 'vitest';
import { checkJsonSize } from '../../../src/core/text/measure-json.ts';

const limits = { maxDepth: 3, maxValues: 5 };
const check = (text: string) => () => checkJsonSize(Buffer.from(text), limits);

describe('checkJsonSize', () => {
  it.each(['', '1', '[1,2,3,4]', '{"a":{"b":[1]}}', '"[[[[[[,,,,,,,,"', '["a\\"[[[[[", "\\\\"]', '"\\'])(
    'accepts %s',
    (text) => expect(check(text)).not.toThrow(),
  );
  it.each(['[[[[1]]]]', '[[[[', '{"a":[{"b":[]}]}', '["\\\\",[[[1]]]]'])('refuses the depth of %s', (text) =>
    expect(check(text)).toThrow('deeper than 3 levels'),
  );
  it.each(['[1,2,3,4,5]', '[[],[],[]]', '{"a":1,"b":2,"c":3,"d":4,"e":5}', ',,,,,,,,'])(
    'refuses the number of values of %s',
    (text) => expect(check(text)).toThrow('more than 5 values'),
  );
  it('tells brackets of a short text from those of its structure', () => {
    const short = (text: string) => () => checkJsonSize(Buffer.from(text), { maxDepth: 3, maxValues: 1000 });
    expect(short('["[[[[{{{{", "{/sha}"]')).not.toThrow();
    expect(short('[[],[],[],[]]')).not.toThrow();
    expect(short('[[[[]]]]')).toThrow('deeper than 3 levels');
    expect(short('{"a":{"a":{"a":{}}}}')).toThrow('deeper than 3 levels');
  });
  it('stops at the first value too many', () => {
    const bytes = Buffer.from(`[${'[],'.repeat(100_000)}`);
    let read = 0;
    const counted = new Proxy(bytes, { get: (target, key) => (read++, Reflect.get(target, key) as unknown) });
    expect(() => checkJsonSize(counted, limits)).toThrow('more than 5 values');
    expect(read).toBeLessThan(100);
  });
});
