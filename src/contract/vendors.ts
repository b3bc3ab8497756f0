/** The neutral name of each product, as the interface states it. Stored rows have this name, too. */
export const wireNames = { github: 'codehost', jira: 'tracker_a', linear: 'tracker_b' } as const;

/** A product with accounts to connect and inbound webhooks. */
export type Vendor = keyof typeof wireNames;
/** The neutral name of a product. */
export type WireName = (typeof wireNames)[Vendor];

/** All products, in the order of lists. */
export const vendors = Object.keys(wireNames) as [Vendor, ...Vendor[]];

/** The names that people read. */
export const productNames: Readonly<Record<Vendor, string>> = {
  github: 'GitHub',
  jira: 'Jira',
  linear: 'Linear',
};

/** Where to create the OAuth app at each product. */
export const oauthAppPages: Readonly<Record<Vendor, string>> = {
  github: 'https://github.com/settings/developers',
  jira: 'https://developer.atlassian.com/console/myapps',
  linear: 'https://linear.app/settings/api/applications/new',
};

/** The name of the product in requests, answers and stored rows. */
export const wireName = <V extends Vendor>(vendor: V): (typeof wireNames)[V] => wireNames[vendor];

/** Whether a text is the name of a product behind the wire. */
export const isVendor = (name: string): name is Vendor => Object.hasOwn(wireNames, name);

const byWireName = new Map<string, Vendor>(vendors.map((vendor) => [wireNames[vendor], vendor]));

/** The product that a request, an answer or a stored row names; undefined where it names none. */
export const findVendor = (name: string): Vendor | undefined => byWireName.get(name);

/** The same, where only a product can be named. */
export function vendorOf(name: string): Vendor {
  const vendor = findVendor(name);
  if (vendor) return vendor;
  throw new Error(`Not a vendor: ${name}`);
}

/** A value for each product, under the names of the wire. */
export const byWireNames = <T>(values: Readonly<Record<Vendor, T>>): Record<WireName, T> =>
  Object.fromEntries(vendors.map((vendor) => [wireNames[vendor], values[vendor]])) as Record<WireName, T>;

/** The header with the signature of a webhook of Linear, as the interface names it. */
export const linearSignatureHeader = 'tracker-b-signature';

/** The environment variable with the secret that signs the webhooks of the product. */
export const webhookSecretVariable = (vendor: Vendor): string =>
  `${wireNames[vendor].toUpperCase()}_WEBHOOK_SECRET`;
