import { ActButton } from '../../../components/act-button.tsx';
import { Item, Items } from '../../../components/items.tsx';
import { changePolicy } from '../../../queries/policy.ts';

/** Whether the audit log keeps what tools answered. */
export const AuditResults = ({ isOn }: { isOn: boolean }) => (
  <Items label="Audit log">
    <Item
      title={isOn ? 'Calls and their results' : 'Calls, without their results'}
      note="Every call of a tool is in the audit log. Its result may contain what the tool read."
      actions={
        <ActButton run={() => changePolicy({ auditAll: !isOn })}>
          {isOn ? 'Leave out results' : 'Keep results'}
        </ActButton>
      }
    />
  </Items>
);
