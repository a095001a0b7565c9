import '@mantine/core/styles/Table.layer.css';
import { ActionIcon, Anchor, Badge, Button, Group, Paper, Table, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SecretValue } from './secret-value.tsx';
import classes from './settings-table.module.css';

/** Rows drawn at first and with each "more": a browser does not lay out 100,000 rows in time. */
const ROWS_STEP = 200;

export function SettingsTable({
  settings,
  onDelete,
}: {
  settings: readonly Setting[];
  onDelete: (key: Setting) => void;
}) {
  const [limit, setLimit] = useState(ROWS_STEP);
  return (
    <Paper withBorder>
      <Table className={classes.table} verticalSpacing="xs" horizontalSpacing="md" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Th>Value</Table.Th>
            <Table.Th className={classes.wide}>Category</Table.Th>
            <Table.Th className={classes.wide}>Updated</Table.Th>
            <Table.Th className={classes.actions}>Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {settings.slice(0, limit).map((setting) => (
            <SettingRow key={setting.key} setting={setting} onDelete={() => onDelete(setting)} />
          ))}
        </Table.Tbody>
      </Table>
      {settings.length > limit && (
        <Group p="md" justify="center">
          <Text size="sm" c="dimmed">
            {limit} of {settings.length} rows drawn
          </Text>
          <Button size="xs" variant="default" onClick={() => setLimit(limit + ROWS_STEP)}>
            Draw {ROWS_STEP} more
          </Button>
        </Group>
      )}
    </Paper>
  );
}

function SettingRow({ setting, onDelete }: { setting: Setting; onDelete: () => void }) {
  const { key, value, encrypted, category, updated_at } = setting;
  return (
    <Table.Tr>
      <Table.Td className={classes.key}>
        <Anchor
          size="sm"
          c="inherit"
          renderRoot={(props) => (
            <Link {...props} to="/settings" search={(search: object) => ({ ...search, key })} preload={false}>
              {key}
            </Link>
          )}
        />
        <Text size="xs" c="dimmed" className={classes.narrow}>
          {category !== null && `${category} · `}
          <RelativeTime at={updated_at} />
        </Text>
      </Table.Td>
      <Table.Td className={classes.value}>
        {encrypted ? <SecretValue key={updated_at} settingKey={key} /> : <PlainValue settingKey={key} value={value} />}
      </Table.Td>
      <Table.Td className={classes.wide}>
        {category !== null && (
          <Badge variant="default" tt="none" fw={500}>
            {category}
          </Badge>
        )}
      </Table.Td>
      <Table.Td className={classes.wide}>
        <Text size="sm" c="dimmed" className={classes.time}>
          <RelativeTime at={updated_at} />
        </Text>
      </Table.Td>
      <Table.Td className={classes.actions}>
        <Group gap={2} wrap="nowrap" justify="flex-end">
          <ActionIcon
            variant="subtle"
            aria-label={`Edit ${key}`}
            title="Edit"
            renderRoot={(props) => (
              <Link {...props} to="/settings" search={(search: object) => ({ ...search, key })} preload={false} />
            )}
          >
            <IconPencil size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="subtle" color="red" aria-label={`Delete ${key}`} title="Delete" onClick={onDelete}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function PlainValue({ settingKey, value }: { settingKey: string; value: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Text span size="sm" className={classes.plain}>
        {value === '' ? <em>empty</em> : value}
      </Text>
      <CopyButton label={`Copy the value of ${settingKey}`} read={() => value} />
    </Group>
  );
}
