import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { AUDIT_ACTIONS } from '../../../shared/audit.ts';
import { isUuid } from '../../../shared/json.ts';
import type { AuditFilter } from '../../api/audit.ts';
import { findOperator, useOperatorNames } from '../../api/names.ts';
import { useOperator, useRefusal } from '../../api/session.ts';
import { startOfLast } from '../../lib/period.ts';
import { momentOf, onClock } from '../../lib/time-zone.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { CopyableFact } from '../../record/tabs.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { IconFilter } from '../../ui/shell-icons.tsx';
import { filterIn, isFiltered } from './search-params.ts';
import classes from './security.module.css';

const route = getRouteApi('/signed-in/security/audit');

export function AuditFilters() {
  const filter = filterIn({ ...route.useSearch() });
  // The key discards typed text when the URL changes.
  return <FilterForm key={JSON.stringify(filter)} filter={filter} />;
}

function FilterForm({ filter }: { filter: AuditFilter }) {
  const navigate = route.useNavigate();
  const { identityId } = useOperator();
  const [open, setOpen] = useState(false);
  const set = Object.keys(filter).length;
  const [draft, setDraft] = useState(filter);
  const [now] = useState(Date.now);
  const change = (changed: { [Name in keyof AuditFilter]?: string | undefined }): void =>
    setDraft(filterIn({ ...draft, ...changed }));
  const { pending, problem, reset, findActor } = useActorSearch();
  const show = (next: AuditFilter): void =>
    void findActor(next.actor ?? '', (actor) => {
      const search = filterIn({ ...next, actor });
      void navigate({ search: ({ page_size }) => ({ ...search, ...(page_size && { page_size }) }) });
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    show(draft);
  };
  return (
    <search className={classes.search} data-open={open || undefined}>
      <Button
        variant="default"
        className={classes.fold}
        leftSection={<IconFilter />}
        data-filter
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {set === 0 ? 'Filter' : `Filter (${set})`}
      </Button>
      <form onSubmit={submit}>
        <div className={classes.fields}>
          <NativeSelect
            label="What"
            value={draft.action ?? (draft.changes === 'true' ? CHANGES : '')}
            data={[
              { value: '', label: 'All records' },
              { value: CHANGES, label: 'Changes only' },
              ...ACTION_NAMES,
              ...unknownAction(draft.action),
            ]}
            onChange={({ currentTarget: { value } }) =>
              change(value === CHANGES ? { action: '', changes: 'true' } : { action: value, changes: '' })
            }
          />
          <TextInput
            label="Who"
            placeholder="E-mail or identity id"
            {...PLAIN}
            value={draft.actor ?? ''}
            error={problem}
            onChange={({ currentTarget }) => {
              reset();
              setDraft({ ...draft, actor: currentTarget.value });
            }}
          />
          <TextInput
            label="About"
            placeholder="setting:mail.from"
            {...PLAIN}
            value={draft.subject ?? ''}
            onChange={({ currentTarget }) => setDraft({ ...draft, subject: currentTarget.value })}
          />
          <DateField
            withTime
            label="From"
            value={localTime(startOfLast(draft.from ?? '', now) ?? draft.from)}
            onChange={(time) => change({ from: utcTime(time) })}
          />
          <DateField
            withTime
            label="Before"
            value={localTime(draft.to)}
            onChange={(time) => change({ to: utcTime(time) })}
          />
        </div>
        <Group gap="xs" mt="sm">
          <Button type="submit" size="xs" loading={pending}>
            Show
          </Button>
          {isFiltered(filter) && (
            <Button size="xs" variant="default" onClick={() => show({})}>
              Show all records
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={() => show({ ...draft, actor: identityId })}>
            What I did
          </Button>
          {RANGES.map(({ label, from }) => (
            <Button key={label} size="xs" variant="subtle" onClick={() => show({ ...draft, from, to: '' })}>
              {label}
            </Button>
          ))}
        </Group>
        {filter.actor !== undefined && isUuid(filter.actor) && <ShownOperator id={filter.actor} />}
      </form>
    </search>
  );
}

const PLAIN = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

/** An action of another release stays in the choice: the service decides whether it exists. */
const unknownAction = (action: string | undefined): { value: string; label: string }[] =>
  action === undefined || ACTION_NAMES.some(({ value }) => value === action) ? [] : [{ value: action, label: action }];

/** Names the operator whose id is in the URL. */
function ShownOperator({ id }: { id: string }) {
  const { name, email } = useOperatorNames([id]).get(id.toLowerCase()) ?? {};
  const names = [name, email].filter((text) => text != null).map(visibleText);
  return (
    <Group gap="xs" mt="sm">
      <Text span size="sm">
        Records of {names.length === 0 ? 'the operator' : names.join(', ')}
      </Text>
      <CopyableFact what="ID" text={id} />
    </Group>
  );
}

/** Looks up an e-mail address in the field “Who”, because records are filtered by id. */
function useActorSearch() {
  const request = useRef<AbortController>(undefined);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const refusal = useRefusal('operators.read');
  // A late response must not navigate after the operator has left the page.
  useEffect(() => () => request.current?.abort(), []);

  const reset = (): void => {
    request.current?.abort();
    setPending(false);
    setProblem(undefined);
  };
  /** @param onFound called with the id, unless another search starts first */
  async function findActor(typed: string, onFound: (actor: string) => void): Promise<void> {
    reset();
    if (!typed.includes('@')) return onFound(typed);
    if (refusal !== undefined) return setProblem(`${refusal} An identity id works.`);
    request.current = new AbortController();
    const { signal } = request.current;
    setPending(true);
    try {
      const operator = await findOperator(typed.trim(), signal);
      if (signal.aborted) return;
      if (operator) onFound(operator.identity_id);
      else setProblem('No operator signs in with this address.');
    } catch {
      if (signal.aborted) return;
      setProblem('The operators’ store is unavailable. An identity id works without it.');
    }
    setPending(false);
  }
  return { pending, problem, reset, findActor };
}

const ACTION_NAMES: readonly { value: string; label: string }[] = AUDIT_ACTIONS.map((action) => ({
  value: action,
  label: {
    login: 'Sign-ins',
    login_refused: 'Refused sign-ins',
    logout: 'Sign-outs',
    setting_write: 'Settings saved',
    setting_delete: 'Settings deleted',
    setting_decrypt: 'Settings revealed',
    setting_restore: 'Settings restored',
    setting_forget: 'Earlier versions of settings removed',
    value_encrypt: 'Values encrypted',
    session_revoke: 'Dashboard sessions ended',
    account_unlock: 'Accounts unlocked',
    identity_search: 'Identities listed or searched',
    proxy_write: 'Changes through an admin API',
    audit_anchor: 'Trail sealed after a change of key',
    audit_prune: 'Trail pruned',
  }[action],
}));

/** Value of the filter “What” for all actions that change something. */
const CHANGES = 'changes';

/** A value for `datetime-local` in the operator's time zone, with seconds if there are any; '' for no time. */
export function localTime(utc: string | undefined): string {
  const date = new Date(utc ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const shifted = onClock(date).toISOString();
  return shifted.endsWith(':00.000Z') ? shifted.slice(0, 16) : shifted.slice(0, 23);
}

/** The value of a `datetime-local` field in UTC; undefined if the field is empty. */
export function utcTime(local: string): string | undefined {
  const time = Date.parse(`${local}Z`);
  return Number.isNaN(time) ? undefined : momentOf(time).toISOString();
}

/** Relative values of `from`, which move with the clock. */
export const RANGES: readonly { label: string; from: string }[] = [
  { label: 'Last hour', from: '1h' },
  { label: 'Last 24 hours', from: '24h' },
  { label: 'Last 7 days', from: '168h' },
  { label: 'Last 30 days', from: '720h' },
];
