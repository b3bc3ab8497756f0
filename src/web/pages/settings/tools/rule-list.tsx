import { useId, useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { Policy } from '../../../../contract/policy.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Field } from '../../../components/form/field.tsx';
import { Form } from '../../../components/form/form.tsx';
import { Item, Items } from '../../../components/items.tsx';
import { client } from '../../../client.ts';
import { changePolicy } from '../../../queries/policy.ts';
import styles from '../settings.module.css';
import { type RuleListName, ruleNote } from './rule-notes.ts';

const titles: Record<RuleListName, { list: string; empty: string }> = {
  requireApprovalFor: { list: 'Always asked', empty: 'No tool is always asked for.' },
  allowedTools: { list: 'Allowed', empty: 'No tool is allowed without a decision.' },
  blockedTools: { list: 'Blocked', empty: 'No tool is blocked.' },
};

/** One list of the policy, with a field for another rule. */
export function RuleList({
  list,
  policy,
  tools,
}: {
  list: RuleListName;
  policy: Policy;
  tools: readonly string[] | undefined;
}) {
  const suggestions = useId();
  const [typed, setTyped] = useState('');
  const rules = policy[list];
  const title = titles[list].list;
  // From what is stored now: another person may have changed the list meanwhile.
  const change = async (next: (rules: readonly string[]) => string[]) => {
    const current = await client.policy.get();
    await changePolicy({ [list]: next(current[list]) });
  };
  const submit = async () => {
    const rule = typed.trim();
    if (rule === '') return new Map([[list, 'Type the name of a tool.']]);
    await change((present) => [...new Set([...present, rule])]);
    setTyped('');
    return undefined;
  };
  return (
    <>
      {rules.length === 0 ? (
        <Empty>{titles[list].empty}</Empty>
      ) : (
        <div className={styles['compact']}>
          <Items label={title}>
            {rules.map((rule) => (
              <Item
                key={rule}
                title={<code>{escapeLine(rule)}</code>}
                note={ruleNote(list, rule, policy, tools)}
                actions={
                  <ActButton
                    label={`Remove ${escapeLine(rule)} from ${title}`}
                    run={() => change((present) => present.filter((each) => each !== rule))}
                  >
                    Remove
                  </ActButton>
                }
              />
            ))}
          </Items>
        </div>
      )}
      <div className={styles['inline']}>
        <Form submit="Add" onSubmit={submit}>
          <Field name={list} label={`Add to ${title}`} hint="The name of a tool, or its beginning and a *.">
            {(control) => (
              <>
                <input
                  {...control}
                  value={typed}
                  onChange={({ target }) => setTyped(target.value)}
                  list={suggestions}
                  autoComplete="off"
                  spellCheck={false}
                />
                <datalist id={suggestions}>
                  {tools
                    ?.filter((tool) => !rules.includes(tool))
                    .map((tool) => (
                      <option key={tool} value={tool} />
                    ))}
                </datalist>
              </>
            )}
          </Field>
        </Form>
      </div>
    </>
  );
}
