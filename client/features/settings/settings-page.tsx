import { Badge, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { EncryptInput, EncryptResult, Setting } from '../../../shared/settings.ts';
import { request } from '../../api/request.ts';
import { useCan, useRefusal } from '../../api/session.ts';
import { decryptSetting, SETTING_PAGES_KEY, settingCategoriesQuery, settingPageQuery } from '../../api/settings.ts';
import type { Column, Columns } from '../../list/columns.tsx';
import { useList } from '../../list/cursor-list.ts';
import { FilterBar, type UseFilters } from '../../list/filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { NoMatch } from '../../list/search.tsx';
import { GuardedButton, IconButton, LinkButton } from '../../ui/buttons.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { CopyableValue, RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea } from '../../ui/fields.tsx';
import { usePassFocusOn, useSingleFlight } from '../../ui/hooks.tsx';
import { IconLockCode, IconPencil, IconPlus } from '../../ui/icons.tsx';
import { Dimmed, TextLink } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { DialogForm, Modal } from '../../ui/modal.tsx';
import { IconTrash } from '../../ui/shell-icons.tsx';
import { DeletedSettingsButton, DeleteSetting } from './deleted-settings.tsx';
import { SETTINGS } from './setting-resource.ts';
import { SecretValue } from './setting-values.tsx';
import classes from './settings.module.css';

const route = getRouteApi('/signed-in/settings');

const SettingEditor = lazyPart(() => import('./setting-editor.tsx'), 'SettingEditor');

type Row = { id: string; setting: Setting };

const COLUMNS: Columns<Row> = {
  key: {
    label: 'Key',
    width: 1.6,
    cell: ({ id: key }, tabIndex) => (
      <TextLink
        size="sm"
        c="inherit"
        ff="monospace"
        to="/settings"
        search={(search) => ({ ...search, key })}
        tabIndex={tabIndex}
        title={key}
      >
        {key}
      </TextLink>
    ),
  },
  value: {
    label: 'Value',
    width: 2,
    cell: ({ setting: { key, value, encrypted, updated_at } }, tabIndex) => (
      <div data-value>
        {encrypted ? (
          <SecretValue key={updated_at} name={key} read={() => decryptSetting(key)} tabIndex={tabIndex} />
        ) : (
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
            <CopyButton what={`the value of ${key}`} read={() => value} tabIndex={tabIndex} />
          </Group>
        )}
      </div>
    ),
  },
  category: {
    label: 'Category',
    width: '10rem',
    cell: ({ setting: { category } }) => category !== null && <Badge variant="default">{category}</Badge>,
  },
  updated: { label: 'Updated', width: '9.5rem', cell: ({ setting }) => <RelativeTime at={setting.updated_at} /> },
};

/** @param onDelete undefined if the operator may not write settings */
const actionsColumn = (onDelete: ((setting: Setting) => void) | undefined): Column<Row> => ({
  label: 'Actions',
  width: '7rem',
  cell: ({ id, setting }, tabIndex) =>
    onDelete && <Actions settingKey={id} tabIndex={tabIndex} onDelete={() => onDelete(setting)} />,
});

function Actions({
  settingKey: key,
  tabIndex,
  onDelete,
}: {
  settingKey: string;
  tabIndex: number;
  onDelete: () => void;
}) {
  const actions = useRef<HTMLDivElement>(null);
  // A dialog returns the focus to its button, which disappears with a deleted setting.
  usePassFocusOn(actions);
  return (
    <Group ref={actions} gap={2} wrap="nowrap" data-unprinted>
      <IconButton
        label={`Edit ${key}`}
        title="Edit"
        tabIndex={tabIndex}
        renderRoot={(props) => <Link {...props} to="/settings" search={(search) => ({ ...search, key })} />}
      >
        <IconPencil />
      </IconButton>
      <IconButton
        label={`Delete ${key}`}
        title="Delete"
        tabIndex={tabIndex}
        className={classes.delete}
        onClick={onDelete}
      >
        <IconTrash />
      </IconButton>
    </Group>
  );
}

const ALL = { value: '', label: 'All categories' };

/** A link may name a category that no longer has settings. */
const useCategoryFilter: UseFilters = ({ category = '' }) => {
  const { data = [] } = useQuery(settingCategoriesQuery);
  const names = [...new Set([...data, String(category)])].filter(Boolean).sort((a, b) => a.localeCompare(b));
  const choices = [ALL, ...names.map((name) => ({ value: name, label: name }))];
  return { filters: [{ name: 'category', label: 'Category', choices }] };
};

export function SettingsPage() {
  const [encrypting, setEncrypting] = useState(false);
  const [deleting, setDeleting] = useState<Setting>();
  const mayWrite = useCan()('settings.write');
  const columns = useMemo(
    () => ({ ...COLUMNS, actions: actionsColumn(mayWrite ? setDeleting : undefined) }),
    [mayWrite],
  );
  const refusal = useRefusal('settings.write');
  const { q, category } = route.useSearch();
  return (
    <ListPage
      resource={SETTINGS}
      about="Other services read these values at run time. They see a change once their cache expires, after 60 seconds by default."
      actions={
        <>
          <GuardedButton
            reason={refusal}
            variant="default"
            leftSection={<IconLockCode />}
            onClick={() => setEncrypting(true)}
          >
            Encrypt a value
          </GuardedButton>
          <LinkButton
            reason={refusal}
            leftSection={<IconPlus />}
            to="/settings"
            search={(current) => ({ ...current, key: undefined, new: 'true' })}
          >
            New setting
          </LinkButton>
        </>
      }
      service="The dashboard"
      query={settingPageQuery}
      pagesKey={SETTING_PAGES_KEY}
      columns={columns}
      twoLines
      plain
      nameOf={({ id }) => id}
      search={
        <>
          <FilterBar
            label="Key contains"
            cleared="the text"
            explanation={() => 'The text may be any part of a key. Case does not matter.'}
            useFilters={useCategoryFilter}
          />
          <DeletedSettingsButton />
        </>
      }
      isSearch={(params) => params.q !== undefined || params.category !== undefined}
      noMatch={
        <NoMatch
          title="No setting matches"
          text={`No setting${category === undefined ? '' : ' in this category'}${q === undefined ? '' : ' has this text in its key'}.`}
          offers={[{ label: 'Show all settings', to: { search: {} } }]}
        />
      }
      noData="Start with the API key of an upstream service or the credentials of a social provider."
      order={() => 'By key'}
      bulkActions={<OpenSetting />}
    >
      {encrypting && <EncryptTool onClose={() => setEncrypting(false)} />}
      {deleting !== undefined && <DeleteSetting setting={deleting} onClose={() => setDeleting(undefined)} />}
    </ListPage>
  );
}

/** The editor of the setting in the URL, once the list has loaded: most often that contains the setting. */
function OpenSetting() {
  const { key, new: isNew } = route.useSearch();
  const { loaded } = useList<Row>();
  const isLoaded = loaded !== undefined;
  // Preloads the editor after the list, so that the editor opens at once.
  useEffect(() => {
    if (isLoaded) void SettingEditor.preload?.();
  }, [isLoaded]);
  if (!isLoaded || (key ?? isNew) === undefined) return null;
  return <SettingEditor key={`${isNew} ${key}`} listed={loaded.page.rows.map(({ setting }) => setting)} />;
}

/** Encrypts values for settings that are loaded into the database by other means. Nothing is stored. */
function EncryptTool({ onClose }: { onClose: () => void }) {
  const [value, setValue] = useState('');
  const [key, setKey] = useState('');
  const [result, setResult] = useState<string>();
  const { run, pending, failure } = useSingleFlight();

  const submit = () =>
    void run(async () => {
      setResult(undefined);
      const body = (key === '' ? { value } : { value, key }) satisfies EncryptInput;
      setResult((await request<EncryptResult>('/api/encrypt', { method: 'POST', body })).encrypted);
    });

  return (
    <Modal opened onClose={onClose} title="Encrypt a value" size="lg">
      <DialogForm onCancel={onClose} cancel="Close" pending={pending} submit="Encrypt" onSubmit={submit}>
        <Dimmed>Encrypts a value with this deployment’s key. Nothing is stored.</Dimmed>
        <SecretTextarea
          secret
          label="Value to encrypt"
          data-autofocus
          value={value}
          onChange={(event) => {
            setValue(event.currentTarget.value);
            setResult(undefined);
          }}
        />
        <TextInput
          label="Key of the setting"
          description="The result can be decrypted only as the value of this setting. Without a key, it cannot be the value of any setting."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={key}
          onChange={(event) => {
            setKey(event.currentTarget.value);
            setResult(undefined);
          }}
        />
        {failure !== undefined && <FailurePanel error={failure} />}
        {result !== undefined && (
          <div role="status">
            <CopyableValue what="ciphertext" value={result} />
          </div>
        )}
      </DialogForm>
    </Modal>
  );
}
