import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { useCan } from '../../api/session.ts';
import { settingPath, settingQuery } from '../../api/settings.ts';
import { COPIES } from '../../record/actions.tsx';
import { LinkButton } from '../../ui/buttons.tsx';
import { copyAndSay } from '../../ui/copy.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { Drawer } from '../../ui/modal.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { IconCopy } from '../../ui/shell-icons.tsx';
import { CLOSED, SettingForm } from './setting-form.tsx';
import { SettingHistory } from './setting-history.tsx';

const route = getRouteApi('/signed-in/settings');

/** The form beside the list. The URL names the open setting, so that Back closes the form and links can open it. */
export function SettingEditor(props: {
  /** The settings in the list, which need no second request. */
  listed: readonly Setting[];
}) {
  const { key = '', new: isNew } = route.useSearch();
  const navigate = route.useNavigate();
  const close = () => void navigate(CLOSED);
  const form = (setting?: Setting) => <SettingForm setting={setting} newKey={key} onSaved={close} />;
  const listed = props.listed.find((setting) => setting.key === key);
  const query = useQuery({ ...settingQuery(key), enabled: isNew === undefined && listed === undefined });
  // Stays as it was opened: a save then does not replace what the form has never shown, and a deletion by somebody else
  // does not take away what is typed.
  const [opened, setOpened] = useState<Setting>();
  const found = opened ?? listed ?? query.data;
  if (opened === undefined && found) setOpened(found);
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={isNew === undefined ? 'lg' : 'md'}
      title={isNew === undefined ? 'Edit setting' : 'New setting'}
    >
      {isNew !== undefined ? (
        form()
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <div>
            <QueryState
              query={{ ...query, data: found }}
              loading={<LoadingRows label="Loading the setting" rows={4} height={44} />}
            >
              {(setting) =>
                setting === null ? (
                  <NoSuchSetting settingKey={key} />
                ) : (
                  <>
                    {form(setting)}
                    <CopySetting setting={setting} />
                  </>
                )
              }
            </QueryState>
          </div>
          <SettingHistory settingKey={key} onRestored={close} />
        </SimpleGrid>
      )}
    </Drawer>
  );
}

function NoSuchSetting({ settingKey }: { settingKey: string }) {
  return (
    <Stack align="flex-start">
      <Text size="sm">
        No setting has the key <strong>{settingKey}</strong>. It may have been deleted: earlier versions, if any, can be
        restored.
      </Text>
      {useCan()('settings.write') && (
        <LinkButton to="/settings" search={(current) => ({ ...current, key: settingKey, new: 'true' })}>
          Create it
        </LinkButton>
      )}
    </Stack>
  );
}

/** Copies a setting, with an encrypted value masked. */
function CopySetting({ setting }: { setting: Setting }) {
  const value = setting.encrypted ? { ...setting, value: '••••••••' } : setting;
  return (
    <Group gap="xs" mt="md" ml={-10}>
      {COPIES.map(({ label, what, text }) => (
        <Button
          key={label}
          size="xs"
          variant="subtle"
          leftSection={<IconCopy size={14} />}
          onClick={() => void copyAndSay(text({ path: settingPath(setting.key), value }), what)}
        >
          {label}
        </Button>
      ))}
    </Group>
  );
}
