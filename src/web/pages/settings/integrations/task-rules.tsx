import { productNames, vendors } from '../../../../contract/vendors.ts';
import { Section } from '../../../components/form/field.tsx';
import form from '../../../components/form/form.module.css';
import { SettingItems } from '../configuration/setting-items.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import styles from '../settings.module.css';

/** Which label makes a task of an issue, and the rules that choose its agent and folder. */
export const TaskRules = () => (
  <SettingsGroup
    title="Tasks from issues and comments"
    hint="Which label makes a task of an issue, and the rules that choose its agent and folder."
  >
    <div className={form['sections']}>
      {vendors.map((vendor) => (
        <Section key={vendor} title={`${productNames[vendor]}: tasks`}>
          <div className={styles['wide']}>
            <SettingItems
              label={`Tasks from ${productNames[vendor]}`}
              keys={['aiTaskLabel', 'comments', 'botAccount', 'rules'].map(
                (name) => `webhooks.${vendor}.${name}`,
              )}
            />
          </div>
        </Section>
      ))}
    </div>
  </SettingsGroup>
);
