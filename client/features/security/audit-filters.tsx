import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { isUuid } from '../../../shared/json.ts';
import type { AuditFilter } from '../../api/audit.ts';
import { findOperator, useOperatorNames } from '../../api/names.ts';
import { useOperator, useRefusal } from '../../api/session.ts';
import { startOfLast } from '../../lib/period.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { CopyableFact } from '../../record/tabs.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { IconFilter } from '../../ui/shell-icons.tsx';
import { ACTION_NAMES, CHANGES, chosen, filterIn, isFiltered, localTime, RANGES, utcTime } from './audit-search.ts';
import classes from './security.module.css';

const route = getRouteApi('/signed-in/security/audit');

export function AuditFilters() {
  const search = route.useSearch();
  const filter = filterIn({ ...search });
  // Typed text is discarded when the address changes.
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
  const { pending, problem, startOver, withActor } = useActorSearch();
  const look = (wanted: AuditFilter): void =>
    void withActor(wanted.actor ?? '', (actor) => {
      const search = filterIn({ ...wanted, actor });
      void navigate({ search: ({ page_size }) => ({ ...search, ...(page_size && { page_size }) }) });
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    look(draft);
  };
  const { actor = '', subject = '' } = draft;
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
              { value: '', label: 'Everything' },
              { value: CHANGES, label: 'Changes only' },
              ...ACTION_NAMES,
              ...unknownAction(draft.action),
            ]}
            onChange={({ currentTarget }) => change(chosen(currentTarget.value))}
          />
          <TextInput
            label="Who"
            placeholder="E-mail or identity id"
            {...PLAIN}
            value={actor}
            error={problem}
            onChange={({ currentTarget }) => {
              startOver();
              setDraft({ ...draft, actor: currentTarget.value });
            }}
          />
          <TextInput
            label="About"
            placeholder="setting:mail.from"
            {...PLAIN}
            value={subject}
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
            <Button size="xs" variant="default" onClick={() => look({})}>
              Show everything
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={() => look({ ...draft, actor: identityId })}>
            What I did
          </Button>
          {RANGES.map(({ label, from }) => (
            <Button key={label} size="xs" variant="subtle" onClick={() => look({ ...draft, from, to: '' })}>
              {label}
            </Button>
          ))}
        </Group>
        {isUuid(filter.actor ?? '') && <ShownOperator id={filter.actor ?? ''} />}
      </form>
    </search>
  );
}

const PLAIN = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

/** An action that the app does not know stays visible: the service judges it. */
const unknownAction = (action: string | undefined): { value: string; label: string }[] =>
  action === undefined || ACTION_NAMES.some(({ value }) => value === action) ? [] : [{ value: action, label: action }];

/** Whose records are shown when the address names an operator by id. */
function ShownOperator({ id }: { id: string }) {
  const { name, email } = useOperatorNames([id]).get(id.toLowerCase()) ?? {};
  const called = [name, email].filter((text) => text != null).map(visibleText);
  return (
    <Group gap="xs" mt="sm">
      <Text span size="sm">
        Records of {called.length === 0 ? 'the operator' : called.join(', ')}
      </Text>
      <CopyableFact label="Copy the id" text={id} />
    </Group>
  );
}

/** Resolves the field "Who": an e-mail address is looked up, since records are filtered by id. */
export function useActorSearch() {
  const asking = useRef<AbortController>(undefined);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const refusal = useRefusal('operators.read');
  // An answer that arrives after the operator has left must not navigate.
  useEffect(() => () => asking.current?.abort(), []);

  const startOver = (): void => {
    asking.current?.abort();
    setPending(false);
    setProblem(undefined);
  };
  /** @param look is given the id, unless another search starts before it is known */
  async function withActor(typed: string, look: (actor: string) => void): Promise<void> {
    startOver();
    if (!typed.includes('@')) return look(typed);
    if (refusal !== undefined) return setProblem(`${refusal} An identity id works.`);
    asking.current = new AbortController();
    const { signal } = asking.current;
    setPending(true);
    const found = await findOperator(typed.trim(), signal).then(
      (operator) => operator?.identity_id ?? { problem: 'No operator signs in with this address.' },
      () => ({ problem: 'The operators’ store is unavailable. An identity id works without it.' }),
    );
    if (signal.aborted) return;
    setPending(false);
    if (typeof found === 'string') look(found);
    else setProblem(found.problem);
  }
  return { pending, problem, startOver, withActor };
}
