import { choiceTable } from '../../../contract/choice-table.ts';
import type { ProviderName } from '../../../contract/oauth.ts';
import { choice, type ValueType } from '../../program/value-type.ts';

/** A vendor with accounts to connect and inbound webhooks. */
export interface Vendor {
  provider: ProviderName;
  /** The word that users type. */
  word: string;
  /** The name that users read. */
  name: string;
}

export const vendors: Record<ProviderName, Vendor> = {
  codehost: { provider: 'codehost', word: 'github', name: 'GitHub' },
  tracker_a: { provider: 'tracker_a', word: 'jira', name: 'Jira' },
  tracker_b: { provider: 'tracker_b', word: 'linear', name: 'Linear' },
};
export const vendorList: readonly Vendor[] = Object.values(vendors);

/** The words for the vendors of the API. */
export const vendorWords = Object.fromEntries(
  vendorList.map(({ provider, word }) => [provider, word]),
) as Record<ProviderName, string>;

const name = choice(choiceTable.inbound.list.provider, {
  aliases: vendorWords,
  meanings: { codehost: 'GitHub', tracker_a: 'Jira', tracker_b: 'Linear' },
});

/** Takes a vendor's name, or what the API calls it. */
export const vendor: ValueType<Vendor> = { ...name, parse: (text) => vendors[name.parse(text)] };
