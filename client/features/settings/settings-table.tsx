// biome-ignore-all lint/a11y/noRedundantRoles: on a narrow screen its CSS display takes a table's own roles away
// biome-ignore-all lint/a11y/useSemanticElements: as above
import type { CSSProperties } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Group, Paper } from '../../ui/elements/layout.tsx';
import { Table } from '../../ui/elements/table.tsx';
import { moveBetweenRows } from '../../ui/hooks/move-between-rows.ts';
import { useGrowing } from '../../ui/hooks/use-growing.ts';
import { SettingRow } from './setting-row.tsx';
import classes from './settings-table.module.css';

export function SettingsTable(props: {
  settings: readonly Setting[];
  onDelete: (setting: Setting) => void;
  /** Reads the next ones, if there are any. */
  more: { read: () => void; reading: boolean } | undefined;
}) {
  const { settings, onDelete, more } = props;
  const drawn = useGrowing(settings.length);
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
        <thead role="rowgroup">
          <tr className={classes.head} role="row">
            <th className={classes.key} role="columnheader">
              Key
            </th>
            <th role="columnheader">Value</th>
            <th className={classes.category} role="columnheader">
              Category
            </th>
            <th className={classes.updated} role="columnheader">
              Updated
            </th>
            <th className={classes.actions} role="columnheader" data-unprinted>
              Actions
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup" onKeyDown={moveBetweenRows}>
          {settings.slice(0, drawn).map((setting) => (
            <SettingRow key={setting.key} setting={setting} onDelete={onDelete} />
          ))}
        </tbody>
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
