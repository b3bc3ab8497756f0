import { InvalidArgumentError } from 'commander';
import type { ProviderName } from '../contract/oauth.ts';
import { closest } from './closest.ts';

/** A vendor whose accounts are connected and whose webhooks come in. */
export interface Vendor {
  provider: ProviderName;
  /** What people type. */
  word: string;
  /** What they read. */
  name: string;
}

export const vendors: Record<ProviderName, Vendor> = {
  codehost: { provider: 'codehost', word: 'github', name: 'GitHub' },
  tracker_a: { provider: 'tracker_a', word: 'jira', name: 'Jira' },
  tracker_b: { provider: 'tracker_b', word: 'linear', name: 'Linear' },
};
export const vendorList: readonly Vendor[] = Object.values(vendors);

/** Reads a vendor's name, or what the API calls it. */
export function readVendor(text: string): Vendor {
  const word = text.toLowerCase();
  const known = vendorList.find((vendor) => vendor.word === word || vendor.provider === word);
  if (known) return known;
  const words = vendorList.map((vendor) => vendor.word);
  const meant = closest(word, words);
  throw new InvalidArgumentError(
    meant === undefined ? `Allowed choices are ${words.join(', ')}.` : `Did you mean ${meant}?`,
  );
}
