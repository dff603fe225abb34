// Words belong into the table. Here the views are read, and every text of
// theirs that has words in it fails.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../view/', import.meta.url));

/** Names that are the same in every language, and marks. */
const names = new Set(['Drawbridge', 'Kubernetes', 'Kubernetes ', 'featureGates=']);

/** Attributes that people read or hear. */
const spoken =
  /^(?:aria-(?:label|description|roledescription|valuetext)|title|placeholder|alt|label|what|missing)$/;

/** The texts of an expression that end up on the page. */
function shown(node: ts.Expression | undefined): string[] {
  if (!node) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
  }
  if (ts.isParenthesizedExpression(node)) return shown(node.expression);
  if (ts.isConditionalExpression(node)) return [...shown(node.whenTrue), ...shown(node.whenFalse)];
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    const both = kind === ts.SyntaxKind.PlusToken;
    const either = [ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken].includes(kind);
    return [...(both || either ? shown(node.left) : []), ...shown(node.right)];
  }
  return [];
}

export function literals(name: string, source: string): string[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const add = (node: ts.Node, texts: readonly string[]) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    for (const text of texts) {
      if (/\p{L}{2}/u.test(text) && !names.has(text.trim()) && !names.has(text)) {
        found.push(`${name}:${line + 1}: ${text.trim()}`);
      }
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) add(node, [node.text.replace(/&\w+;/g, '')]);
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) {
      add(node, shown(node.expression));
    }
    if (ts.isJsxAttribute(node) && spoken.test(node.name.getText())) {
      const value = node.initializer;
      if (value && ts.isStringLiteral(value)) add(node, [value.text]);
      if (value && ts.isJsxExpression(value)) add(node, shown(value.expression));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('views', () => {
  it('have no words of their own', () => {
    const views = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tsx'),
    );
    expect(views.length).toBeGreaterThan(10);
    expect(views.flatMap((name) => literals(name, readFileSync(folder + name, 'utf8')))).toEqual(
      [],
    );
  });
  it('are read for them', () => {
    const source = `const a = <p title="two words" class="no word">{n} more {x ? 'one' : \`\${n} other\`}
      {f && 'third'}{t.fine}{call('argument')}<b aria-label={y || 'fourth'}>×</b></p>;`;
    expect(literals('a.tsx', source).map((found) => found.replace(/^.*: /, ''))).toEqual([
      'two words',
      'more',
      'one',
      'other',
      'third',
      'fourth',
    ]);
  });
});
