import type { ComponentPropsWithRef, CSSProperties, ElementType } from 'react';

type Step = 'xs' | 'sm' | 'md' | 'lg' | 'xl';
/** A step of the theme's spacing, or pixels at a font size of 16. */
export type Space = Step | number;

/** Style as props, where a class of its own would say no more. */
export interface StyleProps {
  m?: Space;
  mt?: Space;
  mb?: Space;
  ml?: Space | 'auto';
  me?: Space | 'auto';
  p?: Space;
  pt?: Space;
  c?: string;
  fw?: number;
  ff?: 'monospace';
  ta?: CSSProperties['textAlign'];
  tt?: CSSProperties['textTransform'];
  flex?: CSSProperties['flex'];
  display?: CSSProperties['display'];
  w?: string | number;
  h?: string | number;
  maw?: string | number;
  miw?: string | number;
  mih?: string | number;
}

/** The props of an element: its own, style props, and those of the tag. */
export type ElementProps<Tag extends ElementType, Own = object> = Own &
  StyleProps &
  Omit<ComponentPropsWithRef<Tag>, keyof Own | keyof StyleProps>;

/** The same for an element that can be drawn as another tag or component. */
export type PolymorphicProps<Tag extends ElementType, Own = object> = ElementProps<Tag, Own & { component?: Tag }>;

const length = (value: string | number): string => (typeof value === 'number' ? `${value / 16}rem` : value);
export const space = (value: Space | 'auto'): string =>
  typeof value === 'number' || value === 'auto' ? length(value) : `var(--mantine-spacing-${value})`;
const color = (value: string): string => (value === 'dimmed' ? 'var(--mantine-color-dimmed)' : value);
const plain = (value: never): never => value;

const RULES: Record<keyof StyleProps, readonly [keyof CSSProperties, (value: never) => unknown]> = {
  m: ['margin', space],
  mt: ['marginTop', space],
  mb: ['marginBottom', space],
  ml: ['marginLeft', space],
  me: ['marginInlineEnd', space],
  p: ['padding', space],
  pt: ['paddingTop', space],
  c: ['color', color],
  fw: ['fontWeight', plain],
  ff: ['fontFamily', () => 'var(--mantine-font-family-monospace)'],
  ta: ['textAlign', plain],
  tt: ['textTransform', plain],
  flex: ['flex', plain],
  display: ['display', plain],
  w: ['width', length],
  h: ['height', length],
  maw: ['maxWidth', length],
  miw: ['minWidth', length],
  mih: ['minHeight', length],
};

/**
 * Turns style props into a style, leaving all others for the tag.
 * @param own the element's classes, before those that it was given
 * @param style of the element, which the props may replace
 */
export function styled(
  props: object,
  own: string,
  style?: CSSProperties,
): { className: string; style?: CSSProperties } {
  const { className, ...rest } = props as { className?: string } & Record<string, unknown>;
  const others: Record<string, unknown> = {};
  let all: Record<string, unknown> | undefined = style && { ...style };
  for (const name in rest) {
    const value = rest[name];
    const rule = RULES[name as keyof StyleProps] as (typeof RULES)['m'] | undefined;
    if (rule === undefined && name !== 'style') others[name] = value;
    else if (value !== undefined) {
      all ??= {};
      if (rule === undefined) Object.assign(all, value);
      else all[rule[0]] = rule[1](value as never);
    }
  }
  return { ...others, className: classes(own, className), ...(all && { style: all as CSSProperties }) };
}

export const classes = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ');
