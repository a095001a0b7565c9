import { Button, Group } from '@mantine/core';
import { type KeyboardEvent, useEffect } from 'react';
import { IconX } from '../../ui/icons.ts';
import type { FiltersProps } from '../list/filter-bar.tsx';
import classes from './filter-panel.module.css';
import { type Filter, FilterPanel } from './filter-panel.tsx';

/** What narrows a list, in words. */
export interface Chip {
  /** Of the search parameter. */
  name: string;
  label: string;
}

/** The filters of a list as chips, each of which a press removes, and the panel to change them. */
export function Filters(props: FiltersProps & { chips: readonly Chip[]; filters: readonly Filter[] }) {
  const { chips, onChange, onCount } = props;
  useEffect(() => {
    onCount(chips.length);
    return () => onCount(0);
  }, [chips.length, onCount]);
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') props.onClose();
  };
  return (
    <>
      {chips.length > 0 && (
        <Group
          gap="xs"
          mt="xs"
          role="group"
          aria-label="Filters"
          className={classes.chips}
          data-open={props.open || undefined}
        >
          {chips.map(({ name, label }) => (
            <Button
              key={name}
              size="compact-sm"
              variant="light"
              rightSection={<IconX size={14} />}
              title="Remove this filter"
              onClick={() => onChange({ [name]: undefined })}
            >
              {label}
            </Button>
          ))}
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => onChange(Object.fromEntries(chips.map(({ name }) => [name, undefined])))}
          >
            Clear all
          </Button>
        </Group>
      )}
      {props.open && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the key is pressed in a field within
        <div onKeyDown={onKeyDown}>
          <FilterPanel
            {...props}
            nameOf={(filter, value) => chips.find(({ name }) => name === filter.name)?.label ?? value}
          />
        </div>
      )}
    </>
  );
}
