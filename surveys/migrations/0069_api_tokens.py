"""Tokens of programs: their digests, what they reach, and the day of their last use."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("surveys", "0068_published_rows"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AccessToken',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=80)),
                ('scopes', models.CharField(max_length=20)),
                ('letters', models.CharField(max_length=8, unique=True)),
                ('digest', models.CharField(max_length=64)),
                ('made_on', models.DateField()),
                ('last_day', models.DateField()),
                ('used_on', models.DateField(null=True)),
                ('used_for', models.CharField(default='', max_length=400)),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='access_tokens', to=settings.AUTH_USER_MODEL)),
                ('survey', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='access_tokens', to='surveys.survey')),
            ],
            options={
                'ordering': ['name', 'pk'],
            },
        ),
    ]
