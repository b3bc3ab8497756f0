import { choiceTable } from '../../../contract/choice-table.ts';
import { byWireNames, productNames, type Vendor, vendorOf } from '../../../contract/vendors.ts';
import { choice, type ValueType } from '../../program/value-type.ts';

/** What users type for each product; its name at the wire is accepted as well. */
export const vendorWords = byWireNames({ github: 'github', jira: 'jira', linear: 'linear' });

const name = choice(choiceTable.inbound.list.provider, {
  aliases: vendorWords,
  meanings: byWireNames(productNames),
});

/** Takes the name of a product. */
export const vendor: ValueType<Vendor> = { ...name, parse: (text) => vendorOf(name.parse(text)) };
