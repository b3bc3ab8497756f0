import { findVendor, isVendor, wireName } from './vendors.ts';

/** The groups of settings that have a part for each product. */
const groups = ['integrations', 'webhooks'];

/** The key of a setting as it is shown, with the name of the product; earlier versions had the neutral name of the wire in it. */
export const currentKey = (key: string): string => withVendor(key, (name) => findVendor(name) ?? name);

/** The key of a setting in earlier versions: the same unless it is for one product. */
export const earlierKey = (key: string): string =>
  withVendor(key, (name) => (isVendor(name) ? wireName(name) : name));

function withVendor(key: string, rename: (name: string) => string): string {
  const [group = '', name, ...rest] = key.split('.');
  return name !== undefined && groups.includes(group) ? [group, rename(name), ...rest].join('.') : key;
}
