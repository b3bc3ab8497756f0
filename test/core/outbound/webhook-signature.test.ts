import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../../src/core/outbound/webhook-signature.ts';
import { hasSharedFixtures, sharedFixture } from '../../helpers/shared-fixture.ts';

interface StandardVector {
  secret: string;
  id: string;
  timestamp: number;
  payload: string;
  signature: string;
}
const standard = sharedFixture<{
  published: StandardVector[];
  generatedWithNpmStandardwebhooks: StandardVector[];
}>('vectors/standard-webhooks.json');
const hub = sharedFixture<Record<'github' | 'jira', { secret: string; payload: string; value: string }>>(
  'vectors/hub-signatures.json',
);
const vectors = [...(standard?.published ?? []), ...(standard?.generatedWithNpmStandardwebhooks ?? [])];

const sentAt = new Date('2026-01-01T00:00:00.900Z');
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('signatureHeaders', () => {
  it.skipIf(!hasSharedFixtures)('signs like the published examples of Standard Webhooks', () => {
    expect(vectors.length).toBeGreaterThan(2);
    for (const { id, timestamp, payload, signature, ...vector } of vectors) {
      const message = { id, sentAt: new Date(timestamp * 1000), body: payload, secret: vector.secret };
      expect(signatureHeaders(message)).toMatchObject({
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      });
    }
  });

  it.skipIf(!hasSharedFixtures)('signs in hex like GitHub and Jira', () => {
    for (const { secret: key, payload, value } of [hub?.github, hub?.jira].flatMap((one) => one ?? []))
      expect(signatureHeaders({ id: 'x', sentAt, body: payload, secret: key })['x-service-signature']).toBe(
        value,
      );
  });

  it.each([
    ['nothing', ''],
    ['little', '{}'],
    ['all letters', '{"text":"ä 🙂 \\u0000"}'],
    ['much', 'x'.repeat(100_000)],
  ])(
    'the library of Standard Webhooks accepts a signature over %s, and rejects another secret or body',
    (_, body) => {
      const headers = signatureHeaders({ id: 'dlv_1', sentAt: new Date(), body, secret });
      const verify = (text: string, more: object = {}, key = secret) =>
        new Webhook(key).verify(text, { ...headers, ...more }, { jsonParse: false });
      expect(() => verify(body)).not.toThrow();
      expect(() => verify(`${body} `)).toThrow('signature');
      expect(() => verify(body, {}, 'whsec_AAAA')).toThrow('signature');
      expect(() => verify(body, { 'webhook-id': 'dlv_2' })).toThrow('signature');
    },
  );

  it('the timestamp is the second of sending', () => {
    expect(signatureHeaders({ id: 'dlv_1', sentAt, body: '{}', secret })['webhook-timestamp']).toBe(
      '1767225600',
    );
  });

  it.skipIf(!hasSharedFixtures)('a rotation sends the signatures of both secrets, the new one first', () => {
    for (const { id, timestamp, payload, signature, secret: previousSecret } of vectors) {
      const message = { id, sentAt: new Date(timestamp * 1000), body: payload };
      const headers = signatureHeaders({ ...message, secret, previousSecret });
      const alone = signatureHeaders({ ...message, secret });
      expect(headers['webhook-signature']).toBe(`${alone['webhook-signature']} ${signature}`);
      expect(headers['x-service-signature']).toBe(alone['x-service-signature']);
      expect(headers['x-service-signature-previous']).toBe(
        signatureHeaders({ ...message, secret: previousSecret })['x-service-signature'],
      );
    }
  });

  it.each(['whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'plain text of a user'])(
    'during a rotation, receivers with either secret accept the signature: %s',
    (previousSecret) => {
      const body = '{"a":1}';
      const headers = signatureHeaders({ id: 'dlv_1', sentAt: new Date(), body, secret, previousSecret });
      const asKey = (text: string) =>
        text.startsWith('whsec_') ? text : Buffer.from(text).toString('base64');
      for (const known of [secret, previousSecret])
        expect(() => new Webhook(asKey(known)).verify(body, headers)).not.toThrow();
      expect(() => new Webhook('whsec_BBBB').verify(body, headers)).toThrow('signature');
    },
  );
});
