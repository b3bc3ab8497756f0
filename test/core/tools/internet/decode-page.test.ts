import { describe, expect, it } from 'vitest';
import { decodePage } from '../../../../src/core/tools/internet/decode-page.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const decode = (body: Uint8Array, type = 'text/html') =>
  decodePage(body, new Headers({ 'content-type': type }));

describe('decodePage', () => {
  it.each([
    ['its header', latin('caf\xe9'), 'text/html; charset=ISO-8859-1'],
    ['its header, with quotes', latin('caf\xe9'), 'text/html;x=y; Charset="windows-1252"'],
    ['the page itself', latin('<meta charset="iso-8859-1">caf\xe9'), 'text/html'],
    ['the page with http-equiv', latin('<META content="text/html; charset=latin1">caf\xe9'), 'text/html'],
    ['the page as XML', latin('<?xml version="1.0" encoding="ISO-8859-1"?>caf\xe9'), 'text/xml'],
    [
      'its header rather than the page',
      Buffer.from('<meta charset="latin1">café'),
      'text/html; charset=utf-8',
    ],
    ['a byte order mark rather than its header', Buffer.from('\ufeffcafé'), 'text/html; charset=latin1'],
    ['a UTF-16 byte order mark', Buffer.from('\ufeffcafé', 'utf16le'), 'text/html'],
    ['the default UTF-8', Buffer.from('café'), ''],
    ['the default if the charset is unknown', Buffer.from('café'), 'text/html; charset=klingon'],
    ['UTF-8 if the declared UTF-16 is impossible', Buffer.from('<meta charset="utf-16">café'), 'text/html'],
  ])('decodes a page by %s', (_, body, type) => {
    expect(decode(body, type)).toMatch(/café$/);
  });

  it('decodes Japanese and Russian charsets', () => {
    expect(decode(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'text/html; charset=Shift_JIS')).toBe('日本');
    expect(decode(Buffer.from([0xcd, 0xc5, 0xd4]), 'text/plain; charset=koi8-r')).toBe('мет');
  });

  it('replaces invalid bytes of a page', () => {
    expect(decode(latin('caf\xe9'))).toBe('caf\ufffd');
  });
});
