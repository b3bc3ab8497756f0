import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHeader, textHeaders } from '../../../src/core/webhooks/text-headers.ts';

/** Reads encoded words as RFC 2047 says. */
const decode = (value: string) =>
  value
    .replaceAll(/\?= (?==\?)/g, '?=')
    .replaceAll(/=\?UTF-8\?B\?([A-Za-z0-9+/=]*)\?=/g, (_, base64: string) =>
      Buffer.from(base64, 'base64').toString('utf8'),
    );

describe('encodeHeader', () => {
  it('leaves ASCII as it is', () => {
    expect(encodeHeader('Approval needed: npm test (~/shop)')).toBe('Approval needed: npm test (~/shop)');
  });

  it('encodes other characters in words of at most 75 characters', () => {
    const title = 'Überprüfung 🙂 der Übersetzungen für die Länder am Ärmelkanal';
    const encoded = encodeHeader(title);
    expect(decode(encoded)).toBe(title);
    for (const word of encoded.split(' ')) expect(word).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]{1,63}\?=$/);
  });

  it('encodes text that looks encoded, so that it is shown as it is', () => {
    const title = '=?UTF-8?B?SGk=?=';
    expect(encodeHeader(title)).not.toBe(title);
    expect(decode(encodeHeader(title))).toBe(title);
  });

  it('passes on no line break and no control character of any text', () => {
    expect(encodeHeader('a\r\nX-Evil: 1\0\u0085b\u2028c')).toBe('a X-Evil: 1 b c');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const encoded = encodeHeader(text);
        expect(encoded).toMatch(/^[\x20-\x7e]*$/);
        expect(() => new Headers({ title: encoded })).not.toThrow();
        expect(decode(encoded)).not.toMatch(/[\r\n\0]/);
      }),
    );
  });
});

it('a text message has the headers of ntfy', () => {
  const message = { text: 'x', title: 'Task failed', priority: 'high', tag: 'x' } as const;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    title: 'Task failed',
    priority: 'high',
    tags: 'x',
  };
  expect(textHeaders(message)).toEqual(headers);
  expect(textHeaders({ ...message, link: 'https://svc.example/tasks/ä' })).toEqual({
    ...headers,
    click: 'https://svc.example/tasks/%C3%A4',
  });
});
