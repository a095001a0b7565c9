import type { CSSProperties } from 'react';
import { type ElementProps, classes as join, type Space, space, styled } from './style-props.ts';
import classes from './table.module.css';

interface TableOwn {
  /** Above and below what is in a cell. */
  verticalSpacing?: Space;
  horizontalSpacing?: Space;
  /** Marks the row under the pointer. */
  highlightOnHover?: boolean;
}

/** A table; its rows and cells are plain `tr`, `th` and `td`. */
export function Table({
  verticalSpacing,
  horizontalSpacing,
  highlightOnHover,
  ...rest
}: ElementProps<'table', TableOwn>) {
  const style: Record<string, string> = {};
  if (verticalSpacing !== undefined) style['--table-y'] = space(verticalSpacing);
  if (horizontalSpacing !== undefined) style['--table-x'] = space(horizontalSpacing);
  return <table {...styled(rest, join(classes.table, highlightOnHover && classes.hovered), style as CSSProperties)} />;
}
