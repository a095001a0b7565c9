// biome-ignore-all lint/a11y/noRedundantRoles: on a narrow screen its CSS display removes a table's implicit roles
// biome-ignore-all lint/a11y/useSemanticElements: as above
import { Badge, Group, Table, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useRef, useState } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { useCan } from '../../api/session.ts';
import { decryptSetting, settingPagesQuery } from '../../api/settings.ts';
import { counted } from '../../lib/format-count.ts';
import { ListContext } from '../../list/cursor-list.ts';
import { FilterBar } from '../../list/filters.tsx';
import { ListFooter, Paging } from '../../list/pager.tsx';
import { NoMatch } from '../../list/search.tsx';
import tableClasses from '../../list/table.module.css';
import { RefreshButton, Toolbar } from '../../list/toolbar.tsx';
import { IconButton, SmallButton } from '../../ui/buttons.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { RelativeTime } from '../../ui/facts.tsx';
import { usePassFocusOn } from '../../ui/hooks.tsx';
import { IconPencil } from '../../ui/icons.tsx';
import { Dimmed, TextLink } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { ListSkeleton } from '../../ui/loading.tsx';
import { QueryState } from '../../ui/query-state.tsx';
import { IconTrash } from '../../ui/shell-icons.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { DeletedSettingsButton, DeleteSetting } from './deleted-settings.tsx';
import { SecretValue } from './setting-values.tsx';
import classes from './settings.module.css';

const route = getRouteApi('/signed-in/settings');
const SettingEditor = lazyPart(() => import('./setting-editor.tsx'), 'SettingEditor');

export function SettingsList() {
  const { q, category, key, new: isNew } = route.useSearch();
  // The previous results stay during a search.
  const query = useInfiniteQuery({ ...settingPagesQuery({ q, category }), placeholderData: keepPreviousData });
  const { isFetchNextPageError, isFetching, refetch, fetchNextPage } = query;
  const list = { readAt: query.dataUpdatedAt, pending: query.isPending, fetching: isFetching, reload: refetch };
  const retry = isFetchNextPageError ? fetchNextPage : refetch;
  const isLoaded = query.data !== undefined;
  // Preloads the editor after the list, so that the editor opens at once.
  useEffect(() => {
    if (isLoaded) void SettingEditor.preload?.();
  }, [isLoaded]);
  return (
    <QueryState query={{ ...query, refetch: retry }} loading={<ListSkeleton label="Loading the settings" rows={8} />}>
      {({ pages }) => {
        const settings = pages.flatMap((page) => page.settings);
        const categories = pages[0]?.categories ?? [];
        const none = settings.length === 0 && q === undefined && category === undefined && !query.isPlaceholderData;
        return (
          <ListContext value={list}>
            {none ? (
              <StatePanel
                kind="no-data"
                title="No settings yet"
                text="Start with the API key of an upstream service or the credentials of a social provider."
                actions={<DeletedSettingsButton />}
              />
            ) : (
              <FoundSettings
                settings={settings}
                categories={categories}
                more={query.hasNextPage ? { load: () => void fetchNextPage(), loading: isFetching } : undefined}
              />
            )}
            {(isNew !== undefined || key !== undefined) && (
              <SettingEditor key={`${isNew} ${key}`} listed={settings} categories={categories} />
            )}
          </ListContext>
        );
      }}
    </QueryState>
  );
}

const ALL = { value: '', label: 'All categories' };
const EXPLAIN = (): string => 'The text may be any part of a key. Case does not matter.';

function FoundSettings(props: {
  settings: readonly Setting[];
  categories: readonly string[];
  more: { load: () => void; loading: boolean } | undefined;
}) {
  const { settings, categories, more } = props;
  const { q, category } = route.useSearch();
  const isSearch = q !== undefined || category !== undefined;
  const mayWrite = useCan()('settings.write');
  const [deleting, setDeleting] = useState<Setting>();
  // A link may name a category that no longer has settings.
  const choices = [...new Set([...categories, ...(category === undefined ? [] : [category])])];
  const listed = choices.toSorted((a, b) => a.localeCompare(b)).map((name) => ({ value: name, label: name }));
  return (
    <>
      <Toolbar
        end={
          <>
            <DeletedSettingsButton />
            <RefreshButton />
          </>
        }
      >
        <FilterBar
          label="Key contains"
          cleared="the text"
          explanation={EXPLAIN}
          useFilters={() => ({ filters: [{ name: 'category', label: 'Category', choices: [ALL, ...listed] }] })}
        />
      </Toolbar>
      {settings.length === 0 ? (
        <NoMatch
          title="No setting matches"
          text={`No setting${category === undefined ? '' : ' in this category'}${q === undefined ? '' : ' has this text in its key'}.`}
          offers={[{ label: 'Show all settings', to: { search: {} } }]}
        />
      ) : (
        <SettingsTable settings={settings} onDelete={mayWrite ? setDeleting : undefined} />
      )}
      <ListFooter
        empty={settings.length === 0}
        status={`${more === undefined ? '' : 'The first '}${counted(settings.length, 'setting', 'settings')}${isSearch ? ' found' : ''}`}
        paging={
          <Paging>
            {more !== undefined && (
              <SmallButton loading={more.loading} onClick={more.load}>
                Show more settings
              </SmallButton>
            )}
          </Paging>
        }
      />
      {deleting !== undefined && <DeleteSetting setting={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

/** Undefined if the operator may not write settings. */
type OnDelete = ((setting: Setting) => void) | undefined;

function SettingsTable(props: { settings: readonly Setting[]; onDelete: OnDelete }) {
  const { settings, onDelete } = props;
  return (
    <div className={tableClasses.frame}>
      <Table
        className={classes.table}
        verticalSpacing={4}
        horizontalSpacing="md"
        highlightOnHover
        role="table"
        style={{ '--rows': settings.length } as CSSProperties}
      >
        <Table.Thead role="rowgroup">
          <Table.Tr className={classes.head} role="row">
            <Table.Th role="columnheader">Key</Table.Th>
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
    </div>
  );
}

const SettingRow = memo(function SettingRow({ setting, onDelete }: { setting: Setting; onDelete: OnDelete }) {
  const { key, value, encrypted, category, updated_at } = setting;
  const row = useRef<HTMLTableRowElement>(null);
  // After a deletion the focus is on the button of its dialog.
  usePassFocusOn(row);
  return (
    <Table.Tr ref={row} className={classes.row} role="row">
      <Table.Td role="cell">
        <TextLink
          size="sm"
          c="inherit"
          ff="monospace"
          className={classes.key}
          to="/settings"
          search={(search) => ({ ...search, key })}
        >
          {key}
        </TextLink>
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
        {category !== null && <Badge variant="default">{category}</Badge>}
      </Table.Td>
      <Table.Td className={classes.updated} role="cell">
        <Dimmed>
          <RelativeTime at={updated_at} />
        </Dimmed>
      </Table.Td>
      <Table.Td className={classes.actions} role="cell" data-unprinted>
        {onDelete !== undefined && (
          <Group gap={2} wrap="nowrap" justify="flex-end">
            <IconButton
              label={`Edit ${key}`}
              title="Edit"
              renderRoot={(props) => <Link {...props} to="/settings" search={(search) => ({ ...search, key })} />}
            >
              <IconPencil />
            </IconButton>
            <IconButton
              label={`Delete ${key}`}
              title="Delete"
              className={classes.delete}
              onClick={() => onDelete(setting)}
            >
              <IconTrash />
            </IconButton>
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
});

function PlainValue({ settingKey, value }: { settingKey: string; value: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Text
        span
        size="sm"
        ff="monospace"
        className={classes.plain}
        title={value.length > 80 ? value.slice(0, 1_000) : undefined}
      >
        {value === '' ? <em>empty</em> : value}
      </Text>
      <CopyButton what={`the value of ${settingKey}`} read={() => value} />
    </Group>
  );
}

/** Moves focus between the first links of the rows, for arrow keys, Home and End. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('tr')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next === undefined || at === -1) return;
  event.preventDefault();
  rows[next]?.querySelector<HTMLElement>('a')?.focus();
}
