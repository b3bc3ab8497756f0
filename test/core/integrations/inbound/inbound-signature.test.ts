import { createHash, randomBytes } from 'node:crypto';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { sign as signAsGithub, verify as verifyAsGithub } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Vendor, vendors } from '../../../../src/contract/vendors.ts';
import { isSigned } from '../../../../src/core/integrations/inbound/inbound-signature.ts';
import { hexMac } from '../../../helpers/inbound.ts';
import { hasSharedFixtures, sharedFixture } from '../../../helpers/shared-fixture.ts';

const secret = "It's a Secret to Everybody";
const body = Buffer.from('Hello, World!');
const mac = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

/** Of all code units, halves of pairs too. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 80 })
  .map((units) => String.fromCharCode(...units));

const check = (
  provider: Vendor,
  headers: Record<string, string | string[] | undefined>,
  text: Buffer | string = body,
  key = secret,
) => isSigned(provider, { headers, body: Buffer.from(text) }, key);

describe('vectors that vendors published', () => {
  it.each<[string, Vendor, string, string, string, string]>([
    ['GitHub', 'github', 'x-hub-signature-256', secret, 'Hello, World!', `sha256=${mac}`],
    [
      'Jira',
      'jira',
      'x-hub-signature',
      secret,
      'Hello World!',
      'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9',
    ],
    [
      'Linear',
      'linear',
      'linear-signature',
      'lin_wh_testsecret',
      '{"action":"update","type":"Issue","organizationId":"org-1","webhookTimestamp":1760000000000}',
      '19882a77e4dae983f01a21fbe0a53dd8142d0d699c37633bc9258a6237b13830',
    ],
  ])('accepts the published vector: %s', (_, provider, header, key, payload, value) => {
    expect(check(provider, { [header]: value }, payload, key)).toBe(true);
    expect(check(provider, { [header]: value }, `${payload} `, key)).toBe(false);
    expect(check(provider, { [header]: value }, payload, `${key} `)).toBe(false);
  });

  it.runIf(hasSharedFixtures)('accepts the signatures of the fixtures', () => {
    type Vector = Record<'secret' | 'payload' | 'header' | 'value', string>;
    const vectors = sharedFixture<Record<'github' | 'jira' | 'linear', Vector>>(
      'vectors/hub-signatures.json',
    );
    for (const vendor of vendors) {
      const { header = '', value = '', payload = '', secret: key = '' } = vectors?.[vendor] ?? {};
      expect(check(vendor, { [header.toLowerCase()]: value }, payload, key)).toBe(true);
    }
  });
});

describe('invalid signatures', () => {
  const sha1 = createHash('sha1').update(body).digest('hex');
  const refused: [string, string | string[] | undefined][] = [
    ['none', undefined],
    ['empty', ''],
    ['the prefix alone', 'sha256='],
    ['without its prefix', mac],
    ['with the prefix twice', `sha256=sha256=${mac}`],
    ['another hash', `sha1=${sha1}`],
    ['another hash by the name of this one', `sha256=${sha1}`],
    ['63 digits', `sha256=${mac.slice(1)}`],
    ['65 digits', `sha256=${mac}0`],
    ['upper-case digits', `sha256=${mac.toUpperCase()}`],
    ['an upper-case prefix', `SHA256=${mac}`],
    ['a space before', ` sha256=${mac}`],
    ['a line after', `sha256=${mac}\n`],
    ['one digit changed', `sha256=${mac.slice(0, -1)}8`],
    ['base64', `sha256=${Buffer.from(mac, 'hex').toString('base64')}`],
    ['letters beyond ASCII', `sha256=${'é'.repeat(64)}`],
    ['full-width digits', `sha256=${'０'.repeat(64)}`],
    ['half a surrogate pair', `sha256=${'\ud800'.repeat(64)}`],
    ['two of them, joined', `sha256=${mac}, sha256=${mac}`],
    ['two of them, as a list', [`sha256=${mac}`, `sha256=${mac}`]],
    ['a list', [`sha256=${mac}`]],
    ['very long', `sha256=${'a'.repeat(100_000)}`],
  ];
  it.each(refused)('rejects as a signature: %s', (_, value) => {
    expect(check('github', { 'x-hub-signature-256': value })).toBe(false);
    expect(check('jira', { 'x-hub-signature': value })).toBe(false);
  });

  it('rejects the legacy header of GitHub and the header of another vendor', () => {
    expect(check('github', { 'x-hub-signature': `sha256=${mac}` })).toBe(false);
    expect(check('github', { 'linear-signature': mac })).toBe(false);
    expect(check('jira', { 'x-hub-signature-256': `sha256=${mac}` })).toBe(false);
    expect(check('linear', { 'linear-signature': `sha256=${mac}` })).toBe(false);
  });

  it('rejects a signature made with an empty secret', () => {
    expect(check('github', { 'x-hub-signature-256': `sha256=${hexMac('', body)}` }, body, '')).toBe(false);
  });

  it('rejects a signature over the same JSON serialized again', () => {
    const sent = '{"a": 1}';
    const headers = { 'x-hub-signature-256': `sha256=${hexMac(secret, sent)}` };
    expect(check('github', headers, sent)).toBe(true);
    expect(check('github', headers, JSON.stringify(JSON.parse(sent)))).toBe(false);
  });

  it('rejects any text except the valid signature', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        expect(check('linear', { 'linear-signature': value })).toBe(false);
        expect(check('github', { 'x-hub-signature-256': `sha256=${value}` })).toBe(false);
      }),
    );
  });
});

describe('the two headers of Linear', () => {
  it('accepts either header of Linear, and requires both to be valid if both are present', () => {
    expect(check('linear', { 'linear-signature': mac })).toBe(true);
    expect(check('linear', { 'tracker-b-signature': mac })).toBe(true);
    expect(check('linear', { 'linear-signature': mac, 'tracker-b-signature': mac })).toBe(true);
    const wrong = mac.replace('7', '8');
    expect(check('linear', { 'linear-signature': mac, 'tracker-b-signature': wrong })).toBe(false);
    expect(check('linear', { 'linear-signature': wrong, 'tracker-b-signature': mac })).toBe(false);
  });
});

describe('the packages of the vendors', () => {
  const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });

  it('agrees with the package of GitHub on valid signatures', async () => {
    await fc.assert(
      fc.asyncProperty(texts, texts, fc.boolean(), async (key, payload, isTampered) => {
        const theirs = await signAsGithub(key, payload);
        expect(check('github', { 'x-hub-signature-256': theirs }, payload, key)).toBe(true);
        expect(await verifyAsGithub(key, payload, `sha256=${hexMac(key, payload)}`)).toBe(true);
        const seen = isTampered ? `${payload}x` : payload;
        expect(check('github', { 'x-hub-signature-256': theirs }, seen, key)).toBe(
          await verifyAsGithub(key, seen, theirs),
        );
      }),
    );
  });

  it('agrees with the package of GitHub on invalid signatures', async () => {
    const payload = body.toString();
    for (const value of [
      mac,
      `sha256=${mac.toUpperCase()}`,
      `sha256=${mac.slice(1)}`,
      `sha256=${mac}0`,
      'x',
    ]) {
      expect(await verifyAsGithub(secret, payload, value)).toBe(false);
      expect(check('github', { 'x-hub-signature-256': value })).toBe(false);
    }
  });

  it('agrees with the package of Linear on signatures', () => {
    fc.assert(
      fc.property(texts, texts, fc.boolean(), (key, title, isTampered) => {
        const linear = new LinearWebhookClient(key);
        const payload = JSON.stringify({ title, webhookTimestamp: Date.now() });
        const value = hexMac(key, payload);
        const seen = Buffer.from(isTampered ? payload.replace('"title"', '"titel"') : payload);
        const theirs = () => linear.verify(seen, value);
        expect(check('linear', { 'linear-signature': value }, seen, key)).toBe(!isTampered);
        if (isTampered) expect(theirs).toThrow('Invalid webhook signature');
        else expect(theirs()).toBe(true);
      }),
    );
  });

  it('agrees with the package of Linear on bytes that are not text', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), randomBytes(64), Buffer.from('"}')]);
    expect(check('linear', { 'linear-signature': hexMac(secret, bytes) }, bytes)).toBe(true);
    expect(check('linear', { 'linear-signature': hexMac(secret, bytes.toString('utf8')) }, bytes)).toBe(
      false,
    );
  });
});
