import { describe, expect, it } from 'vitest';
import { currentKey, earlierKey } from '../../src/contract/setting-keys.ts';
import {
  byWireNames,
  findVendor,
  productNames,
  vendorOf,
  vendors,
  webhookSecretVariable,
  wireName,
} from '../../src/contract/vendors.ts';

describe('the wire name of a vendor', () => {
  it('maps each vendor to its wire name and back', () => {
    expect(vendors.map(wireName)).toEqual(['codehost', 'tracker_a', 'tracker_b']);
    expect(vendors.map((vendor) => vendorOf(wireName(vendor)))).toEqual(vendors);
    expect(byWireNames(productNames)).toEqual({ codehost: 'GitHub', tracker_a: 'Jira', tracker_b: 'Linear' });
  });

  it('accepts no vendor name but the wire names', () => {
    for (const name of ['github', 'Codehost', 'api', 'toString', '']) {
      expect(findVendor(name)).toBeUndefined();
      expect(() => vendorOf(name)).toThrow(`Not a vendor: ${name}`);
    }
  });

  it('names the webhook secret variables after the wire names', () => {
    expect(vendors.map(webhookSecretVariable)).toEqual([
      'CODEHOST_WEBHOOK_SECRET',
      'TRACKER_A_WEBHOOK_SECRET',
      'TRACKER_B_WEBHOOK_SECRET',
    ]);
  });
});

describe('the key of a setting', () => {
  it.each([
    ['integrations.github.clientId', 'integrations.codehost.clientId'],
    ['webhooks.jira.rules', 'webhooks.tracker_a.rules'],
    ['webhooks.linear.comments', 'webhooks.tracker_b.comments'],
  ])('accepts the setting %s under its earlier key %s', (now, before) => {
    expect([currentKey(now), currentKey(before)]).toEqual([now, now]);
    expect([earlierKey(now), earlierKey(before)]).toEqual([before, before]);
  });

  it.each([
    'mode',
    'integrations',
    'integrations.webSearch.provider',
    'webhooks.inbound.keepDays',
    'github.x',
  ])('leaves the setting key %s unchanged', (key) =>
    expect([currentKey(key), earlierKey(key)]).toEqual([key, key]),
  );
});
