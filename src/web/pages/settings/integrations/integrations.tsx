import { vendors } from '../../../../contract/vendors.ts';
import { Items } from '../../../components/items.tsx';
import { useAdmin } from '../../../queries/use-admin.ts';
import { SettingsGroup } from '../settings-group.tsx';
import { OAuthApps } from './oauth-apps.tsx';
import { TaskRules } from './task-rules.tsx';
import { VendorItem } from './vendor-item.tsx';
import { WebSearch } from './web-search.tsx';

/** One's own accounts elsewhere, and for administrators what the daemon needs for them. */
export function IntegrationsSection() {
  const isAdmin = useAdmin() === true;
  return (
    <>
      <SettingsGroup
        title="Your accounts"
        hint="svc uses them for your tasks only, such as to comment on the issue that a task came from."
      >
        <Items label="Your accounts">
          {vendors.map((vendor) => (
            <VendorItem key={vendor} vendor={vendor} isAdmin={isAdmin} />
          ))}
        </Items>
      </SettingsGroup>
      <SettingsGroup title="Web search" hint="Lets agents search the web.">
        <WebSearch isAdmin={isAdmin} />
      </SettingsGroup>
      {isAdmin && (
        <>
          <OAuthApps />
          <TaskRules />
        </>
      )}
    </>
  );
}
