import { choiceTable } from '../../../contract/choice-table.ts';
import { choice, type ValueType } from '../../program/value-type.ts';

/** The name of a model provider; the daemon says which ones it does not know. */
export const providerName: ValueType<string> = {
  ...choice<string>(choiceTable.providers.configure.type, { isOpen: true }),
  help: { one: 'Provider, such as openai', several: 'Providers' },
};
