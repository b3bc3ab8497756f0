import { useQuery } from '@tanstack/react-query';
import { policyQuery, toolsQuery } from '../../../queries/policy.ts';
import { SettingItems } from '../configuration/setting-items.tsx';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { AuditResults } from './audit-results.tsx';
import { ModeForm } from './mode-form.tsx';
import { RuleList } from './rule-list.tsx';
import { ToolList } from './tool-list.tsx';

/** Which tools there are, which of them run, and which are asked for. */
export function ToolsSection() {
  const policy = useQuery(policyQuery);
  const tools = useQuery(toolsQuery);
  const names = tools.data?.tools.map(({ name }) => name);
  return (
    <>
      <SettingsGroup title="Security mode" hint="For tasks and chats that request no stricter one.">
        <Read query={policy} rows={5}>
          {({ defaultMode }) => <ModeForm mode={defaultMode} />}
        </Read>
      </SettingsGroup>
      <Read query={policy} rows={9}>
        {(rules) => (
          <>
            <SettingsGroup
              title="Always asked"
              hint="These tools wait for a decision, even if they are allowed; not in mode full."
            >
              <RuleList list="requireApprovalFor" policy={rules} tools={names} />
            </SettingsGroup>
            <SettingsGroup
              title="Allowed"
              hint="These tools need no decision. In mode allowlist no other tool runs."
            >
              <RuleList list="allowedTools" policy={rules} tools={names} />
            </SettingsGroup>
            <SettingsGroup title="Blocked" hint="These tools never run, in any mode.">
              <RuleList list="blockedTools" policy={rules} tools={names} />
            </SettingsGroup>
            <SettingsGroup title="Audit log">
              <AuditResults isOn={rules.auditAll} />
            </SettingsGroup>
            <SettingsGroup title="Tools" hint="With the rules that match each of them.">
              <Read query={tools} rows={8}>
                {(known) => <ToolList {...known} policy={rules} />}
              </Read>
            </SettingsGroup>
          </>
        )}
      </Read>
      <SettingsGroup title="Limits and servers">
        <SettingItems
          label="Limits and servers"
          keys={['approvals.expireAfter', 'tools.callsPerMinute', 'tools.unsandboxed', 'tools.mcpServers']}
        />
      </SettingsGroup>
    </>
  );
}
