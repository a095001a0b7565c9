import { Button, Stack, Title } from '@mantine/core';
import { useState } from 'react';
import { SubjectHistory } from '../../audit-view/subject-history.tsx';
import { IconHistory } from '../../resource/icons.ts';
import { EarlierVersions } from './history/earlier-versions.tsx';

/**
 * What the setting was, and who changed or revealed it and when, loaded on demand; also for a deleted setting.
 * @param deleted opens it, since there is nothing else to see
 */
export function SettingHistory(props: { settingKey: string; deleted: boolean; onRestored: () => void }) {
  const { settingKey, onRestored } = props;
  const [chosen, setOpen] = useState<boolean>();
  const open = chosen ?? props.deleted;
  return (
    <Stack gap="sm" mt="lg">
      <div>
        <Button
          size="compact-sm"
          variant="subtle"
          ml={-8}
          leftSection={<IconHistory size={14} />}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          History
        </Button>
      </div>
      {open && (
        <>
          <Title order={3} size="h5">
            Earlier versions
          </Title>
          <EarlierVersions settingKey={settingKey} onRestored={onRestored} />
          <Title order={3} size="h5" mt="sm">
            Who did what
          </Title>
          <SubjectHistory
            subject={`setting:${settingKey}`}
            nothing="There are no records of this setting since the audit trail began."
          />
        </>
      )}
    </Stack>
  );
}
