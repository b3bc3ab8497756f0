import { expect, it } from 'vitest';
import { Config } from '../../../src/core/config/config.ts';
import { connectionLimits, maxOpenFiles } from '../../../src/daemon/connections/connection-limits.ts';

const config = (flags = {}) => new Config({ env: {}, settingsFile: '/nonexistent/settings.json', flags });

it('leaves files to the daemon where the system allows few', () => {
  expect(connectionLimits(config(), 20_000)).toMatchObject({ max: 1024, perAddress: 128 });
  expect(connectionLimits(config(), 1024).max).toBe(1024 - 256 - 64);
  expect(connectionLimits(config(), 100).max).toBe(16);
  expect(connectionLimits(config({ 'server.maxConnections': 50 }), Infinity).max).toBe(50);
});

it('reads how many files the system allows', () => {
  const line = (soft: string) =>
    `Max processes  7823  7823  processes\nMax open files            ${soft}      20000  files\n`;
  expect(maxOpenFiles(() => line('1024'))).toBe(1024);
  expect(maxOpenFiles(() => line('unlimited'))).toBe(Infinity);
  expect(
    maxOpenFiles(() => {
      throw new Error('not Linux');
    }),
  ).toBe(Infinity);
});
