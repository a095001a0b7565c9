import '@mantine/core/styles/Table.layer.css';
import { Button, Group, Paper, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { moveBetweenRows } from '../../ui/hooks/move-between-rows.ts';
import { SettingRow } from './setting-row.tsx';
import classes from './settings-table.module.css';

/** Rows shown at first and added by each “Show more”: browsers are too slow to lay out 100,000 rows. */
const ROWS_STEP = 200;

export function SettingsTable(props: { settings: readonly Setting[]; onDelete: (setting: Setting) => void }) {
  const { settings, onDelete } = props;
  const [limit, setLimit] = useState(ROWS_STEP);
  return (
    <Paper withBorder>
      <Table className={classes.table} verticalSpacing="xs" horizontalSpacing="md" highlightOnHover role="table">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            <Table.Th className={classes.key} role="columnheader">
              Key
            </Table.Th>
            <Table.Th role="columnheader">Value</Table.Th>
            <Table.Th className={classes.category} role="columnheader">
              Category
            </Table.Th>
            <Table.Th className={classes.updated} role="columnheader">
              Updated
            </Table.Th>
            <Table.Th className={classes.actions} role="columnheader">
              Actions
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup" onKeyDown={moveBetweenRows}>
          {settings.slice(0, limit).map((setting) => (
            <SettingRow key={setting.key} setting={setting} onDelete={() => onDelete(setting)} />
          ))}
        </Table.Tbody>
      </Table>
      {settings.length > limit && (
        <Group p="md" justify="center">
          <Text size="sm" c="dimmed">
            {limit} of {settings.length} rows shown
          </Text>
          <Button size="xs" variant="default" onClick={() => setLimit(limit + ROWS_STEP)}>
            Show {ROWS_STEP} more
          </Button>
        </Group>
      )}
    </Paper>
  );
}
