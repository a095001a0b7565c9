import { Button, NativeSelect, type TextInputProps } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { memo, type ReactNode, useState } from 'react';
import { SearchField, SearchForm } from '../../ui/form/search-form.tsx';
import { useResettingState } from '../../ui/hooks/use-resetting-state.ts';
import { IconFilter } from '../icons.ts';
import classes from './search-fields.module.css';

/** A field above a list: text is searched on Enter, a choice at once. */
type Field = { label: string; flex: string } & (
  | ({ /** For the label of its clear button: "the name". */ cleared: string } & Pick<
      TextInputProps,
      'autoCapitalize' | 'leftSection' | 'placeholder'
    >)
  | { choices: readonly { value: string; label: string }[] }
);

/** @param fields by search parameter @param explanation shown below the fields: how matching works */
export const SearchFields = memo(function SearchFields(props: {
  fields: Readonly<Record<string, Field>>;
  explanation: ReactNode;
}) {
  const fields = Object.entries(props.fields);
  const search = useSearch({ strict: false, select: (all) => all as Record<string, unknown> });
  const searched = Object.fromEntries(fields.map(([param]) => [param, String(search[param] ?? '')]));
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useResettingState(searched, JSON.stringify(searched));

  const look = (wanted: typeof searched): void => {
    const params = Object.fromEntries(Object.entries(wanted).map(([param, text]) => [param, text.trim() || undefined]));
    void navigate({ to: '.', search: (before) => ({ ...params, ...before, ...params }), state: {} });
  };
  const clear = (param: string): void => {
    setTyped({ ...typed, [param]: '' });
    if (searched[param] !== '') look({ ...searched, [param]: '' });
  };

  const choices = fields.filter(([, field]) => 'choices' in field);
  const set = choices.filter(([param]) => searched[param] !== '').length;
  const submit = choices.length > 0 && (
    <>
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
      <Button type="submit" variant="default" className={classes.submit}>
        Search
      </Button>
    </>
  );
  return (
    <SearchForm maw="46rem" onSubmit={() => look(typed)} explanation={props.explanation} submit={submit || undefined}>
      {(explanation) =>
        fields.map(([param, field]) =>
          'choices' in field ? (
            <NativeSelect
              key={param}
              flex={field.flex}
              className={classes.choice}
              data-open={open || undefined}
              aria-label={field.label}
              value={searched[param]}
              data={field.choices}
              onChange={({ currentTarget: { value } }) => look({ ...searched, [param]: value })}
            />
          ) : (
            <SearchField
              key={param}
              {...field}
              aria-describedby={explanation}
              value={typed[param] ?? ''}
              onChange={(text) => setTyped({ ...typed, [param]: text })}
              onClear={() => clear(param)}
            />
          ),
        )
      }
    </SearchForm>
  );
});
