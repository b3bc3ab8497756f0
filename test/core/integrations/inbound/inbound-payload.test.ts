import { describe, expect, it } from 'vitest';
import { readPayload } from '../../../../src/core/integrations/inbound/inbound-payload.ts';

const json = (text: string | Buffer) => readPayload('application/json', Buffer.from(text));
const form = (text: string) => readPayload('application/x-www-form-urlencoded', Buffer.from(text));

describe('the body of a delivery', () => {
  it('keeps the text of a JSON body as received', () => {
    expect(json('{ "a": 1 }')).toEqual({ text: '{ "a": 1 }', value: { a: 1 } });
  });

  it('accepts a form that contains the JSON', () => {
    const payload = '{"title":"Ünïcode & more + 100%"}';
    const expected = { text: payload, value: { title: 'Ünïcode & more + 100%' } };
    expect(form(`payload=${encodeURIComponent(payload)}`)).toEqual(expected);
    expect(form(new URLSearchParams({ payload }).toString())).toEqual(expected);
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    expect(readPayload(type, Buffer.from(`payload=${encodeURIComponent(payload)}`))).toEqual(expected);
  });

  it.each(['', '{', 'null', '[]', '[{}]', '"text"', '1', 'NaN', "{'a':1}", '{"a":1}x'])(
    'rejects the body %j',
    (text) => {
      expect(() => json(text)).toThrow(/The body is not (valid JSON|a JSON object)/);
    },
  );

  it('rejects a form without exactly one payload', () => {
    for (const text of ['', 'a=1', 'payload', 'payload=', 'payload={}&payload={}', 'Payload={}'])
      expect(() => form(text)).toThrow(/one field named payload|not valid JSON/);
  });

  it('rejects a body that is not UTF-8', () => {
    expect(() => json(Buffer.from('{"a":"\xff"}', 'latin1'))).toThrow('The body is not valid UTF-8');
  });

  it('rejects a body nested deeper than 64 levels', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(json(nested(64)).value).toHaveProperty('a');
    expect(() => json(nested(65))).toThrow('nested deeper than 64 levels');
    expect(() => json(nested(1_000_000))).toThrow('nested deeper than 64 levels');
  });

  it('accepts prototype keys, NUL and lone surrogates in a body', () => {
    const text = '{"__proto__":{"isAdmin":true},"constructor":"x","nul":"a\\u0000b","half":"\\ud800"}';
    const { value } = json(text);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'nul', 'half']);
    expect({}).not.toHaveProperty('isAdmin');
  });
});
