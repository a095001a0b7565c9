// biome-ignore-all lint/a11y/noRedundantRoles: on a narrow screen its CSS display takes a table's own roles away
// biome-ignore-all lint/a11y/useSemanticElements: as above

import { ActionIcon, Anchor, Badge, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { decryptSetting } from '../../api/settings-record.ts';
import { IconPencil, IconTrash } from '../../resource/icons.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SecretValue } from './secret-value.tsx';
import classes from './settings-table.module.css';

export const SettingRow = memo(function SettingRow({
  setting,
  onDelete,
}: {
  setting: Setting;
  onDelete: (setting: Setting) => void;
}) {
  const { key, value, encrypted, category, updated_at } = setting;
  return (
    <Table.Tr className={classes.row} role="row">
      <Table.Td className={classes.key} role="cell">
        <Anchor
          size="sm"
          c="inherit"
          className={classes.name}
          renderRoot={(props) => (
            <Link {...props} to="/settings" search={(search) => ({ ...search, key })} preload={false}>
              {key}
            </Link>
          )}
        />
        <Text size="xs" c="dimmed" className={classes.narrow}>
          {category !== null && `${category} · `}
          <RelativeTime at={updated_at} />
        </Text>
      </Table.Td>
      <Table.Td className={classes.value} role="cell">
        {encrypted ? (
          <SecretValue key={updated_at} name={key} read={() => decryptSetting(key)} />
        ) : (
          <PlainValue settingKey={key} value={value} />
        )}
      </Table.Td>
      <Table.Td className={classes.category} role="cell">
        {category !== null && (
          <Badge variant="default" tt="none" fw={500}>
            {category}
          </Badge>
        )}
      </Table.Td>
      <Table.Td className={classes.updated} role="cell">
        <Text size="sm" c="dimmed">
          <RelativeTime at={updated_at} />
        </Text>
      </Table.Td>
      <Table.Td className={classes.actions} role="cell" data-unprinted>
        <Group gap={2} wrap="nowrap" justify="flex-end">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Edit ${key}`}
            title="Edit"
            renderRoot={(props) => (
              <Link {...props} to="/settings" search={(search) => ({ ...search, key })} preload={false} />
            )}
          >
            <IconPencil />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.delete}
            aria-label={`Delete ${key}`}
            title="Delete"
            onClick={() => onDelete(setting)}
          >
            <IconTrash />
          </ActionIcon>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
});

function PlainValue({ settingKey, value }: { settingKey: string; value: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Text span size="sm" className={classes.plain} title={value.length > 80 ? value.slice(0, 1_000) : undefined}>
        {value === '' ? <em>empty</em> : value}
      </Text>
      <CopyButton label={`Copy the value of ${settingKey}`} read={() => value} />
    </Group>
  );
}
