// SPDX-FileCopyrightText: 2026 The corotracer-gui authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Checks a SARIF log against the part of SARIF 2.1.0 (OASIS) that our reports use. The published schema is not in this
// tree, because its terms do not let everybody change it. The check is stricter: it knows only the members that we
// write, and it also checks what a schema cannot see, the escapes in messages and the indexes of rules.
#pragma once

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QStringList>
#include <QUrl>

#include <string>

namespace ct::test {

class SarifShape {
public:
    /// What is wrong with the log; empty if nothing is.
    QStringList errorsOf(const std::string &text)
    {
        m_errors.clear();
        QJsonParseError error;
        const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text), &error);
        if (error.error != QJsonParseError::NoError)
            return {error.errorString()};
        check(QStringLiteral("log"), document.object(), QStringLiteral("log"));
        for (const QJsonValue run : document.object().value(QLatin1String("runs")).toArray())
            checkRules(run);
        return m_errors;
    }

private:
    struct Member {
        QString name;
        /// The name of a shape, with [] for an array of it; or a simple type, see isValue().
        QString type;
        bool isRequired = true;
    };

    static const QHash<QString, QList<Member>> &shapes()
    {
        const auto of = [](const char *name, const char *type, bool isRequired = true) {
            return Member{QLatin1String(name), QLatin1String(type), isRequired};
        };
        static const QHash<QString, QList<Member>> all{
            {QStringLiteral("log"), {of("$schema", "uri"), of("version", "=2.1.0"), of("runs", "[]run")}},
            {QStringLiteral("run"), {of("tool", "tool"), of("invocations", "[]invocation"), of("results", "[]result")}},
            {QStringLiteral("tool"), {of("driver", "driver")}},
            {QStringLiteral("driver"), {of("name", "text"), of("rules", "[]rule")}},
            {QStringLiteral("rule"), {of("id", "text"), of("shortDescription", "description")}},
            {QStringLiteral("description"), {of("text", "text")}},
            {QStringLiteral("invocation"),
             {of("executionSuccessful", "flag"), of("toolExecutionNotifications", "[]notification")}},
            {QStringLiteral("notification"),
             {of("level", "level"), of("associatedRule", "reference"), of("message", "message")}},
            {QStringLiteral("reference"), {of("id", "text"), of("index", "index")}},
            {QStringLiteral("message"), {of("text", "escaped")}},
            {QStringLiteral("result"),
             {of("ruleId", "text"), of("ruleIndex", "index"), of("level", "level"), of("message", "message"),
              of("locations", "[]location", false), of("partialFingerprints", "fingerprints"),
              of("occurrenceCount", "count"), of("rank", "rank"), of("properties", "properties", false)}},
            {QStringLiteral("location"), {of("physicalLocation", "physicalLocation")}},
            {QStringLiteral("physicalLocation"),
             {of("artifactLocation", "artifactLocation"), of("region", "region", false)}},
            {QStringLiteral("artifactLocation"), {of("uri", "uri")}},
            {QStringLiteral("region"), {of("startLine", "count")}},
            {QStringLiteral("fingerprints"), {of("corotracer/v1", "text")}},
            {QStringLiteral("properties"), {of("pid", "count")}}};
        return all;
    }

    static bool isWhole(const QJsonValue &value, double least)
    {
        return value.isDouble() && value.toDouble() >= least && value.toDouble() == double(value.toInteger(-1));
    }

    static bool isValue(const QString &type, const QJsonValue &value)
    {
        const QString text = value.toString();
        if (type == u"text")
            return value.isString() && !text.isEmpty();
        if (type == u"uri")
            return value.isString() && QUrl(text, QUrl::StrictMode).isValid() && !text.isEmpty();
        if (type == u"level")
            return QStringList{QStringLiteral("none"), QStringLiteral("note"), QStringLiteral("warning"),
                               QStringLiteral("error")}
                .contains(text);
        if (type == u"flag")
            return value.isBool();
        if (type == u"index" || type == u"count")
            return isWhole(value, type == u"count" ? 1 : 0);
        if (type == u"rank")
            return value.isDouble() && value.toDouble() >= 0 && value.toDouble() <= 100;
        if (type == u"escaped") {
            static const QRegularExpression escapes(QStringLiteral(R"(\{\{|\}\}|\\[\\\[\]])"));
            return value.isString() && !text.isEmpty() &&
                   !QString(text).remove(escapes).contains(QRegularExpression(QStringLiteral(R"([{}\[\]\\])")));
        }
        return type.startsWith(u'=') && text == type.mid(1);
    }

    void check(const QString &type, const QJsonValue &value, const QString &path)
    {
        if (type.startsWith(QLatin1String("[]"))) {
            if (!value.isArray())
                m_errors << path + QLatin1String(" is no array");
            qsizetype index = 0;
            for (const QJsonValue element : value.toArray())
                check(type.mid(2), element, path + u'/' + QString::number(index++));
            return;
        }
        const auto shape = shapes().constFind(type);
        if (shape == shapes().constEnd()) {
            if (!isValue(type, value))
                m_errors << path + QLatin1String(" is no ") + type;
            return;
        }
        QJsonObject rest = value.toObject();
        for (const Member &member : *shape) {
            const QJsonValue found = rest.take(member.name);
            if (!found.isUndefined())
                check(member.type, found, path + u'/' + member.name);
            else if (member.isRequired)
                m_errors << path + QLatin1String(" lacks ") + member.name;
        }
        for (const QString &name : rest.keys())
            m_errors << path + QLatin1String(" may not have ") + name;
    }

    /// An index of a rule and its name must be of one rule.
    void checkRules(const QJsonValue &run)
    {
        const QJsonArray rules = run[QLatin1String("tool")][QLatin1String("driver")][QLatin1String("rules")].toArray();
        const auto compare = [&](const QJsonValue &index, const QJsonValue &id) {
            if (rules.at(index.toInt(-1))[QLatin1String("id")] != id)
                m_errors << id.toString() + QLatin1String(" has the index of another rule");
        };
        for (const QJsonValue result : run[QLatin1String("results")].toArray())
            compare(result[QLatin1String("ruleIndex")], result[QLatin1String("ruleId")]);
        for (const QJsonValue invocation : run[QLatin1String("invocations")].toArray())
            for (const QJsonValue note : invocation[QLatin1String("toolExecutionNotifications")].toArray())
                compare(note[QLatin1String("associatedRule")][QLatin1String("index")],
                        note[QLatin1String("associatedRule")][QLatin1String("id")]);
    }

    QStringList m_errors;
};

}  // namespace ct::test
