// biome-ignore-all lint/a11y/noRedundantRoles: on a narrow screen its CSS display takes a table's own roles away
// biome-ignore-all lint/a11y/useSemanticElements: as above

import { Button, Group, Paper, Table } from '@mantine/core';
import type { CSSProperties } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { moveBetweenRows } from '../../ui/hooks/move-between-rows.ts';
import { SettingRow } from './setting-row.tsx';
import classes from './settings-table.module.css';

export function SettingsTable(props: {
  settings: readonly Setting[];
  onDelete: (setting: Setting) => void;
  /** Reads the next ones, if there are any. */
  more: { read: () => void; reading: boolean } | undefined;
}) {
  const { settings, onDelete, more } = props;
  return (
    <Paper withBorder>
      <Table
        className={classes.table}
        verticalSpacing="xs"
        horizontalSpacing="md"
        highlightOnHover
        role="table"
        style={{ '--rows': settings.length } as CSSProperties}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr className={classes.head} role="row">
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
            <Table.Th className={classes.actions} role="columnheader" data-unprinted>
              Actions
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup" onKeyDown={moveBetweenRows}>
          {settings.map((setting) => (
            <SettingRow key={setting.key} setting={setting} onDelete={onDelete} />
          ))}
        </Table.Tbody>
      </Table>
      {more !== undefined && (
        <Group p="md" justify="center">
          <Button size="xs" variant="default" loading={more.reading} onClick={more.read}>
            Show more settings
          </Button>
        </Group>
      )}
    </Paper>
  );
}
